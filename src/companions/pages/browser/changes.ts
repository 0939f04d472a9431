/** A worker that all tabs share: one stream of changes for each browser. Its name is the stream's address. */
import { openStream } from './follow.ts'

declare const self: { readonly name: string }

const channel = new BroadcastChannel(self.name)
openStream(self.name, (change) => channel.postMessage(change))
