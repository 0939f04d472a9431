/** Milliseconds of CPU time of this process for a task: other programs on the machine hardly change them. */
export const cpuMs = async (run: () => unknown): Promise<number> => {
  const started = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}
