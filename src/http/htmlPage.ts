/** Headers of a response, as the router's context has them. */
export interface Settable {
  readonly headers: Record<string, string | number | undefined>
}

/**
 * HTML for a URL that also has JSON: made from what the route read, for clients that prefer it. Sets its own headers.
 */
export type HtmlPage<Given> = (given: Given, set: Settable) => Promise<Response>

/**
 * Value of the query parameter `spoilers` of every page: `0` hides outcomes, `1` has them in previews of the link, too;
 * without it only the page has them.
 */
export type Spoilers = '0' | '1' | undefined

export const readSpoilers = (text: string | undefined): Spoilers =>
  text === '0' || text === '1' ? text : undefined

/** Input of an error page; `template` is undefined if no route matched. */
export interface Refused {
  readonly status: number
  readonly template: string | undefined
  readonly spoilers: Spoilers
}
