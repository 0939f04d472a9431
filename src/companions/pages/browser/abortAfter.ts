/** An abort controller that aborts by itself; `AbortSignal.timeout` is newer than the oldest supported browsers. */
export const abortAfter = (ms: number): AbortController => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller
}
