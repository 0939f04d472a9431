import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'

/**
 * A value that is made at its first use. It pays for formatters of `Intl`, whose data took 7 MB and 8 ms at each start.
 */
export const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Compiles a schema at its first check: up to 8 ms each, which no start waits for. */
export const compiled = <T extends TSchema>(schema: T): (() => TypeCheck<T>) =>
  once(() => TypeCompiler.Compile(schema))

/** Derives a value from an immutable one at its first use, once; it is collected together with that value. */
export const perValue = <Key extends WeakKey, Value>(
  derive: (key: Key) => Value,
): ((key: Key) => Value) => {
  const made = new WeakMap<Key, Value>()
  return (key) => made.getOrInsertComputed(key, derive)
}
