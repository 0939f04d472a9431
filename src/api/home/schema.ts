import { type Static, Type } from '@sinclair/typebox'
import { closed, listOf, named } from '../fields.ts'

const address = (description: string) => Type.String({ description: `address of ${description}` })

/** Index of the service; addresses include the base path. */
export const ApiIndex = named('ApiIndex', {
  name: Type.String(),
  description: Type.String(),
  docs: address('the documentation'),
  openapi: address('the OpenAPI document'),
  health: address('the state of the service'),
  license: Type.Optional(
    closed(
      {
        name: Type.String(),
        url: Type.Optional(Type.String({ description: 'address of its text' })),
      },
      { description: 'licence of the data, if one is set' },
    ),
  ),
  endpoints: listOf('without the legacy endpoints', {
    path: Type.String({ description: 'parameters in braces' }),
    summary: Type.String(),
  }),
})
export type ApiIndex = Static<typeof ApiIndex>
