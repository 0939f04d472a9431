/** Normalized URL of an address in the data; undefined unless http(s). */
export const mediaAddress = (address: string | null): string | undefined => {
  const url = address === null ? null : URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}
