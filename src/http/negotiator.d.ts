/** The published types are for 0.6 and lack `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Readonly<Record<string, string>> })
    /** Codings with a q-value above 0 as the header spells them, `*` and an implied `identity` included. */
    encodings(): string[]
    /** `preferred` decides among codings of equal q-value. */
    encoding(
      available: readonly string[],
      options: { preferred: readonly string[] },
    ): string | undefined
    /** The first of `available` among media types of equal q-value and specificity. */
    mediaType(available: readonly string[]): string | undefined
  }
}
