import { type Static, Type } from '@sinclair/typebox'
import { closed, named } from '../fields.ts'

const address = (description: string) => Type.String({ description: `address of ${description}` })

/** Index of the service; addresses include the base path. */
export const ApiIndex = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    docs: address('the documentation'),
    openapi: address('the OpenAPI document'),
    health: address('the state of the service'),
    license: Type.Optional(
      Type.Object(
        {
          name: Type.String(),
          url: Type.Optional(Type.String({ description: 'address of its text' })),
        },
        { ...closed, description: 'licence of the data, where one is set' },
      ),
    ),
    endpoints: Type.Array(
      Type.Object(
        { path: Type.String({ description: 'parameters in braces' }), summary: Type.String() },
        closed,
      ),
      { description: 'without the legacy endpoints' },
    ),
  },
  named('ApiIndex'),
)
export type ApiIndex = Static<typeof ApiIndex>
