/** Milliseconds of the processor that this process takes for something: other programs on the machine hardly change them. */
export const cpuMs = async (run: () => unknown): Promise<number> => {
  const started = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}
