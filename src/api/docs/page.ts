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

/**
 * The page of @elysiajs/swagger, rewritten to load its script from this service: the plugin
 * supports only a public CDN. Its own document covers only its instance, so `/openapi` is ours.
 */
export const buildPage = async (linkPath: string) => {
  // Imported at first use: the import takes a tenth of the start time.
  const { swagger } = await import('@elysiajs/swagger')
  const plugin = swagger({
    provider: 'swagger-ui',
    path: '/docs',
    // The plugin drops one slash. The URL is absolute, as the page is at `/docs/` too.
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
        // Without an icon link, browsers request one that does not exist.
        head.append('<link rel="icon" href="data:," />', { html: true })
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
    /** Allows the resources of the page only. */
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
