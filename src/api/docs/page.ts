import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }

/** Files that the page loads, by name. All are served by us. */
export const assets: ReadonlyMap<string, { readonly type: string; readonly path: string }> =
  new Map([
    ['swagger-ui.css', { type: 'text/css; charset=utf-8', path: style }],
    ['swagger-ui-bundle.js', { type: 'text/javascript; charset=utf-8', path: script }],
  ])

const hashOf = (script: string): string =>
  `'sha256-${new Bun.CryptoHasher('sha256').update(script).digest('base64')}'`

/** Paths and names of the pages that the header links to. */
export type Destinations = readonly (readonly [path: string, text: string])[]

/** Header of the pages; their style sheet would change the rest of this page. */
const headerOf = (linkPath: string, destinations: Destinations): string => {
  const items = destinations.map(([path, text]) => `<a href="${linkPath}${path}">${text}</a>`)
  return `<style>
  body { margin: 0; }
  .swagger-ui :not(code, pre, code *, pre *, .opblock-summary-path, .opblock-summary-path *) { font-family: system-ui, sans-serif; }
  .top { display: flex; gap: 1.25rem; align-items: center; padding: .75rem clamp(1rem, 4vw, 2.5rem); background: #131619; font: 1rem/1.5 system-ui, sans-serif;
    border-bottom: .25rem solid #ffc60b; border-image: repeating-linear-gradient(-45deg, #ffc60b 0 .75rem, #131619 0 1.5rem) 4; }
  .top nav { display: flex; gap: 1rem; }
  .top a { padding-block: .25rem; color: #fff; text-decoration: none; }
  .top > a { font-size: 1.25rem; font-weight: 800; letter-spacing: -.03em; }
  .top > a::before { content: ""; display: inline-block; width: .9em; height: .9em; margin-right: .4em; vertical-align: -.08em; background: #ffc60b;
    clip-path: polygon(0 0, 45% 0, 100% 100%, 55% 100%); }
  @media (max-width: 30rem) { .top > a { font-size: 0; } .top > a::before { font-size: 1.25rem; } }
</style><header class="top"><a href="${linkPath}/">Cageside</a><nav aria-label="Main">${items.join('')}</nav></header>`
}

/**
 * The page of @elysiajs/swagger, rewritten to load its script from this service: the plugin
 * supports only a public CDN. Its own document covers only its instance, so `/openapi` is ours.
 */
export const buildPage = async (linkPath: string, destinations: Destinations | undefined) => {
  // Imported at first use, because the import takes a tenth of the start time.
  const { swagger } = await import('@elysiajs/swagger')
  const plugin = swagger({
    provider: 'swagger-ui',
    path: '/docs',
    // The plugin drops one slash. The URL is absolute, because the page is at `/docs/` too.
    specPath: `/${linkPath}/openapi`,
    autoDarkMode: false,
    theme: `${linkPath}/docs/swagger-ui.css`,
    documentation: {
      info: {
        title: 'Cageside API',
        version: '2.0.0',
        description: 'Robot-combat events as open data',
      },
    },
    swaggerOptions: {
      deepLinking: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
    },
  })
  const inlineScripts: string[] = []
  const html = await new HTMLRewriter()
    .on('head', {
      element: (head) => {
        // Browsers request an icon that does not exist if there is no link to one.
        head.append('<link rel="icon" href="data:," />', { html: true })
      },
    })
    .on('body', {
      element: (body) => {
        if (destinations) body.prepend(headerOf(linkPath, destinations), { html: true })
      },
    })
    .on('script[src]', {
      element: (script) => {
        script.setAttribute('src', `${linkPath}/docs/swagger-ui-bundle.js`)
        script.removeAttribute('crossorigin')
      },
    })
    .on('script:not([src])', {
      element: () => {
        inlineScripts.push('')
      },
      text: ({ text }) => {
        inlineScripts.push(`${inlineScripts.pop() ?? ''}${text}`)
      },
    })
    .transform(await plugin.handle(new Request('http://localhost/docs')))
    .text()
  return {
    html,
    /** Allows only the resources of the page. */
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src 'self' ${inlineScripts.map(hashOf).join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}
