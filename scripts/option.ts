/** Options of a script: with a value, with several, and without one. */
export const text = { type: 'string' } as const
export const texts = { type: 'string', multiple: true } as const
export const flag = { type: 'boolean' } as const
