/** The hosts of addresses, each once, in order. */
export const originsOf = (addresses: readonly string[]): readonly string[] => [
  ...new Set(addresses.flatMap((address) => URL.parse(address)?.origin ?? [])),
]
