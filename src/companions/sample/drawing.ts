import type { Still } from '../../data/league/types.ts'

const maxNameLength = 40

/** Text of an SVG: escaped, without characters that XML forbids. */
const svgText = (text: string): string => {
  const letters = [...text.toWellFormed().replace(/[^\P{C}\p{Cf}]|[\ufffe\uffff]/gu, ' ')]
  return Bun.escapeHTML(letters.slice(0, maxNameLength).join(''))
}

const weapons = [
  // A disc, a bar, a hammer, a flipper.
  '<circle cx="440" cy="215" r="62" fill="#cdd2d8"/><path d="M440 153v124M378 215h124" stroke="#444" stroke-width="10"/>',
  '<path d="M345 175h190" stroke="#cdd2d8" stroke-width="26" stroke-linecap="round"/><circle cx="440" cy="175" r="18" fill="#444"/>',
  '<path d="M270 180 460 95" stroke="#888" stroke-width="16"/><path d="m440 60 40 70" stroke="#cdd2d8" stroke-width="40"/>',
  '<path d="M390 225 540 280 545 292 390 270z" fill="#cdd2d8"/>',
] as const

const bodies = [
  'M150 280 180 190h210l50 90z',
  'M140 280v-80q0-20 20-20h230l60 100z',
  'M150 280q0-110 145-110t145 110z',
  'M130 280 230 160h160l40 120z',
] as const

/** Picture of the bot of a still; it follows only from its name and the token. */
export const drawStill = ({
  bot,
  tags,
  token,
  width,
  height,
}: Pick<Still, 'bot' | 'tags' | 'token' | 'width' | 'height'>): string => {
  const name = bot?.name ?? tags[0] ?? ''
  const hash = Bun.hash.xxHash32(name)
  const light = Bun.hash.xxHash32(token) % 360
  const hue = hash % 360
  const wheels = [190, ...((hash >>> 9) % 2 ? [290] : []), 390]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 400" preserveAspectRatio="xMidYMid slice" width="${width ?? 6000}" height="${height ?? 4000}">
<rect width="600" height="400" fill="hsl(${light} 18% 22%)"/><circle cx="300" cy="150" r="240" fill="hsl(${light} 22% 30%)"/>
<rect y="300" width="600" height="100" fill="#4d5258"/><ellipse cx="300" cy="318" rx="190" ry="16" fill="#33373b"/>
<path d="${bodies[(hash >>> 11) % bodies.length]}" fill="hsl(${hue} 62% 46%)" stroke="hsl(${hue} 62% 30%)" stroke-width="8"/>
<path d="M190 232h200" stroke="hsl(${(hue + 150) % 360} 70% 60%)" stroke-width="${8 + ((hash >>> 17) % 20)}"/>
${weapons[(hash >>> 14) % weapons.length]}
${wheels.map((x) => `<circle cx="${x}" cy="282" r="38" fill="#1d2024"/><circle cx="${x}" cy="282" r="14" fill="#8a9097"/>`).join('')}
<text x="300" y="376" text-anchor="middle" font-family="sans-serif" font-weight="bold" font-size="${name.length > 20 ? 20 : 34}" fill="#f4f4ee">${svgText(name)}</text>
</svg>
`
}
