import type { TSchema } from '@sinclair/typebox'

/** Marks an optional property that is missing if ratings are turned off. */
export const ofRatings = { 'x-of-ratings': true } as const
export const isOfRatings = (schema: TSchema): boolean => schema['x-of-ratings'] === true
