import { fileURLToPath } from 'node:url'

/** The files that the page loads, by name, with their types. All are our own. */
export const assets: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])

export const assetFile = (name: string): Bun.BunFile =>
  Bun.file(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)))

export interface Page {
  readonly html: string
  /** Allows what the page has and nothing from elsewhere. */
  readonly contentSecurityPolicy: string
}

const inlineScripts = /<script>([\s\S]*?)<\/script>/g

const hashOf = (script: string): string =>
  `'sha256-${new Bun.CryptoHasher('sha256').update(script).digest('base64')}'`

/** The page of @elysiajs/swagger, with its script from here and not from a network of others. */
export const buildPage = async (basePath: string): Promise<Page> => {
  // Few look at it, and loading it is a tenth of a start.
  const { swagger } = await import('@elysiajs/swagger')
  const plugin = swagger({
    provider: 'swagger-ui',
    path: '/docs',
    specPath: '/openapi',
    autoDarkMode: false,
    theme: `${basePath}/docs/swagger-ui.css`,
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
  const response = await plugin.handle(new Request('http://localhost/docs'))
  const html = (await response.text())
    .replace(/https:\/\/[^"]*(?=\/swagger-ui-bundle\.js)/, `${basePath}/docs`)
    // As a relative address it would be another one where the page's ends with a slash.
    .replace('"url":"openapi"', `"url":"${basePath}/openapi"`)
    // An icon that is asked for by itself would be an unknown path.
    .replace('</head>', '<link rel="icon" href="data:," /></head>')
  const scripts = [...html.matchAll(inlineScripts)].map(([, script = '']) => hashOf(script))
  return {
    html,
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src 'self' ${scripts.join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}
