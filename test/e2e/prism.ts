import { join } from 'node:path'
import { projectFolder } from '../process.ts'

/** A proxy by Prism that holds requests and responses to an OpenAPI document. */
export interface Prism {
  readonly origin: string
  stop(): Promise<void>
}

/**
 * Starts Prism in front of an upstream. A request or response that breaks the document is answered with
 * an error whose `type` begins with `https://stoplight.io/prism/errors#`.
 */
export const startPrism = async (document: string, upstream: string): Promise<Prism> => {
  const cli = join(projectFolder, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const child = Bun.spawn(
    [process.execPath, cli, 'proxy', document, upstream, '--errors', '--port', '0'],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  )
  const stop = async () => {
    child.kill()
    await child.exited
  }
  const decoder = new TextDecoder()
  let printed = ''
  const reader = child.stdout.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`Prism ended: ${printed}`)
    printed += decoder.decode(value, { stream: true })
    const [, origin] = /listening on (http:\S+)/.exec(printed) ?? []
    if (origin === undefined) continue
    reader.releaseLock()
    // Prism logs every request, and would block without a reader.
    void child.stdout.pipeTo(new WritableStream()).catch(() => undefined)
    return { origin, stop }
  }
}
