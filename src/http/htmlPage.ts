/** Headers of a response, as the router's context has them. */
export interface Settable {
  readonly headers: Record<string, string | number | undefined>
}

/**
 * The HTML beside a JSON representation at one address: made from what the route read, for clients that prefer
 * it. Sets the headers that belong to it.
 */
export type HtmlPage<Given> = (given: Given, set: Settable) => Promise<Response>

/** Value of the query parameter `spoilers` of every page: `0` hides outcomes. */
export type Spoilers = '0' | '1'

export const readSpoilers = (text: string | undefined): Spoilers => (text === '0' ? '0' : '1')
