/** An address of the data as a page can use it; undefined unless http(s). */
export const mediaAddress = (address: string | null): string | undefined => {
  const url = address === null ? null : URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** The hosts of addresses, each once, in order. */
export const originsOf = (addresses: readonly string[]): readonly string[] => [
  ...new Set(addresses.flatMap((address) => URL.parse(address)?.origin ?? [])),
]
