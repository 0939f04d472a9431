/** Thrown where a value is read that is still being made. */
export class NotMadeYet extends Error {
  /** Rejects if it cannot be made. */
  readonly made: Promise<unknown>

  constructor(made: Promise<unknown>) {
    super('a value was read before it was made')
    this.made = made
  }
}

/** A value that may still be in the making. If it cannot be made, that is for those who read it to say. */
export class Later<Value> {
  readonly made: Promise<Value>
  #result: { readonly value: Value } | undefined

  constructor(made: Promise<Value>) {
    this.made = made.then((value) => {
      this.#result = { value }
      return value
    })
    this.made.catch(() => undefined)
  }

  static of<Value>(value: Value): Later<Value> {
    const { promise, resolve } = Promise.withResolvers<Value>()
    const later = new Later(promise)
    resolve(value)
    later.#result = { value }
    return later
  }

  /** Throws {@link NotMadeYet} until it is made. */
  get value(): Value {
    if (!this.#result) throw new NotMadeYet(this.made)
    return this.#result.value
  }

  /** Its next version, made anew where this one could not be; resolves when that is made, or cannot be. */
  async next(
    update: (known: Value) => Value | Promise<Value>,
    make: () => Promise<Value>,
  ): Promise<Later<Value>> {
    const next = new Later(this.made.then(update, make))
    await next.made.catch(() => undefined)
    return next
  }
}
