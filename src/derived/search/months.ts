export const monthNames =
  'january february march april may june july august september october november december'.split(' ')

export const monthsByName: ReadonlyMap<string, string> = new Map(
  monthNames.flatMap((month) => [
    [month, month],
    [month.slice(0, 3), month],
  ]),
).set('sept', 'september')
