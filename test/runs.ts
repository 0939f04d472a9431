/** Runs of a property in each run of the suite, whose seeds differ; `RUNS=10` takes ten times as many. */
export const runs = (usual: number): number => usual * Number(process.env.RUNS ?? 1)
