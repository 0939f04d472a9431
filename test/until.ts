/** Waits until a condition holds, at most a minute unless told otherwise. */
export const until = async (
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> => {
  const started = performance.now()
  while (!(await holds())) {
    if (performance.now() - started > withinMs) throw new Error(`not so within ${withinMs} ms`)
    await Bun.sleep(10)
  }
}

/** The final answer: a response that takes longer than a request waits is 503 at first. */
export const untilAnswered = async (ask: () => Response | Promise<Response>): Promise<Response> => {
  for (;;) {
    const response = await ask()
    if (response.status !== 503) return response
    await response.body?.cancel()
    await Bun.sleep(100)
  }
}

/** Repeats a request until its response has the content coding: a busy machine may compress too slowly at first. */
export const untilCoded = async <Answer extends { readonly headers: Headers }>(
  coding: string,
  ask: () => Answer | Promise<Answer>,
): Promise<Answer> => {
  for (let asked = 1; ; asked += 1) {
    const response = await ask()
    if (response.headers.get('content-encoding') === coding) return response
    if (asked === 50) throw new Error(`no answer in ${coding}`)
    await Bun.sleep(100)
  }
}
