/** Number of turns of the event loop while something runs: requests can be answered in each. */
export const turnsDuring = async (run: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await run()
  isOver = true
  return turns
}
