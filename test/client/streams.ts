// Readers of /changes/stream with the packages that people use, for a page of another origin. Each passes the data of
// every message to `received(client, data)`, which the test provides, and resumes by its own means.
import { fetchEventSource } from '@microsoft/fetch-event-source'
import { EventSourcePlus } from 'event-source-plus'
import { EventSourcePolyfill } from 'event-source-polyfill'

declare const received: (client: string, data: string) => void
const address = new URLSearchParams(location.search).get('stream') ?? ''

/** Sends `Last-Event-ID` by itself. */
const native = new EventSource(address)
native.onmessage = ({ data }) => received('EventSource', data)

/** Appends `lastEventId` to the address. */
const polyfill = new EventSourcePolyfill(address)
polyfill.onmessage = ({ data }: MessageEvent<string>) => received('event-source-polyfill', data)

/** Sends `Last-Event-ID` by fetch, which another origin must allow. */
const fetching = fetchEventSource(address, {
  openWhenHidden: true,
  onmessage: ({ event, data }) => {
    if (event === '' && data !== '') received('fetch-event-source', data)
  },
  // The package gives up after an error of another kind than a lost connection.
  onerror: () => 200,
})

new EventSourcePlus(address, { maxRetryInterval: 500 }).listen({
  onMessage: ({ event, data }) => {
    if ((event === '' || event === 'message') && data !== '') received('event-source-plus', data)
  },
})

await fetching
