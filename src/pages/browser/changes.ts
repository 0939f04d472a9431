/** A worker that all tabs share: one stream of changes for each browser. Its name is the stream's address. */
import { openStream } from './changeStream.ts'

interface WorkerScope {
  readonly name: string
  onconnect: ((event: MessageEvent) => void) | null
}
declare const self: WorkerScope

const ports = new Set<MessagePort>()
let isOpen = false

self.onconnect = ({ ports: [port] }) => {
  if (port) ports.add(port)
  if (isOpen) return
  isOpen = true
  openStream(self.name, () => {
    for (const each of ports) each.postMessage('changed')
  })
}
