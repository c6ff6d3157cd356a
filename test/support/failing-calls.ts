/** An object whose asynchronous calls can be made to fail, for tests of what is left when a sequence of them breaks off. */
export interface Interrupted<Port> {
  readonly port: Port
  /** Lets so many further calls succeed; the next one rejects without an effect, and later ones succeed again. */
  failAfter(calls: number): void
  /** Whether the call that was to fail has been made. */
  readonly hasFailed: boolean
}

export function interrupted<Port extends object>(subject: Port): Interrupted<Port> {
  let left = Infinity
  const port = new Proxy(subject, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (typeof name === 'symbol') return value.bind(target) as unknown
      return (...args: readonly unknown[]): unknown => {
        left -= 1
        if (left === -1) return Promise.reject(new Error(`${name} was made to fail`))
        return value.apply(target, args)
      }
    },
  })
  return {
    port,
    failAfter(calls) {
      left = calls
    },
    get hasFailed() {
      return left < 0
    },
  }
}
