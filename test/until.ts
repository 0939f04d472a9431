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
