/**
 * Ends a write that was only to be checked. It is thrown, so that the transaction is rolled back and so that nothing that a
 * service does after a write happens. `answerValidated` makes an answer of it.
 */
export class Validated extends Error {
  override readonly name = 'Validated'
  readonly result: unknown

  constructor(result: unknown) {
    super('this write was only checked')
    this.result = result
  }
}

type Method = (...args: readonly unknown[]) => unknown

/** Returns the services with writes that answer a caller who only wants a check as they would answer the write. */
export function answerValidated<S extends object>(services: S): S {
  return Object.fromEntries(Object.entries(services).map(([name, service]) => [name, answering(Object(service))])) as S
}

function answering(service: object): object {
  const wrapped = new Map<unknown, Method>()
  return new Proxy(service, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (typeof value !== 'function') return value
      const known = wrapped.get(value) ?? answer(value.bind(target) as Method)
      wrapped.set(value, known)
      return known
    },
  })
}

function answer(method: Method): Method {
  return (...args) => {
    const running = method(...args)
    return running instanceof Promise ? running.catch(resultOf) : running
  }
}

function resultOf(error: unknown): unknown {
  if (error instanceof Validated) return error.result
  throw error
}
