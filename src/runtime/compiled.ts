import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { once } from './once.ts'

/** Compiles a schema at its first check: up to 8 ms each, for which no start waits. */
export const compiled = <T extends TSchema>(schema: T): (() => TypeCheck<T>) =>
  once(() => TypeCompiler.Compile(schema))
