import type { App } from '../src/app.ts'

/** Status and body of an answer. */
export const bodyAt = async (app: App, path: string): Promise<string> => {
  const response = await app(new Request(`http://localhost${path}`))
  return `${response.status} ${await response.text()}`
}

/** Status, headers and body at a path, without values that differ from request to request. */
export const answerAt = async (app: App, path: string): Promise<string> => {
  const response = await app(new Request(`http://localhost${path}`))
  const {
    date: _date,
    'x-request-id': _id,
    'last-modified': _modified,
    'x-data-age': _age,
    ...headers
  } = Object.fromEntries(response.headers)
  return `${response.status} ${JSON.stringify(headers)} ${await response.text()}`
}
