/** The published types are of 0.6 and lack `preferred`. */
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
    /** Among media types of equal q-value and specificity the first of `available`. */
    mediaType(available: readonly string[]): string | undefined
  }
}
