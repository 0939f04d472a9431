/** Number of runs of a property; seeds differ in each run of the suite, and `RUNS=10` takes ten times as many. */
export const runs = (usual: number): number => usual * Number(process.env.RUNS ?? 1)
