import { httpSubscriptionLink, TRPCClientError } from '@trpc/client'
import type { Operation, TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import { EventSource } from 'eventsource'
import type { AppRouter } from './router.js'

export interface SubscriptionOptions {
  /** The address of the router. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: (url: string | URL, init: object) => Promise<Response>
}

export interface Subscriptions {
  /** Ends the chain of a subscription. */
  readonly link: TRPCLink<AppRouter>
  /** Completes all that are open: they would dial again for ever, and keep the process. */
  end(): void
}

/** What says that the server is there and cannot answer now: the subscription dials again. */
const passing: readonly number[] = [429, 502, 503, 504]

export function createSubscriptions({ url, headers, fetch }: SubscriptionOptions): Subscriptions {
  const open = new Set<() => void>()
  const eventSourceOptions = ({ op }: { readonly op: Operation }) => ({
    async fetch(address: string | URL, init: { readonly headers: Record<string, string> }) {
      const answer = await fetch(address, { ...init, headers: { ...init.headers, ...headers } })
      if (answer.ok) return answer
      const refusal: unknown = await answer.json().catch(() => undefined)
      if (passing.includes(answer.status)) throw new Error(`The control plane answered ${answer.status}.`)
      op.context['refusal'] = refusal
      return answer
    },
  })
  const options = { url, EventSource: EventSource as never, eventSourceOptions: eventSourceOptions as never }
  const subscribe = httpSubscriptionLink<AppRouter, never>(options)
  const link: TRPCLink<AppRouter> = (runtime) => {
    const start = subscribe(runtime)
    return (given) =>
      observable((observer) => {
        const end = () => observer.complete()
        open.add(end)
        const subscription = start(given).subscribe({
          next: (value) => observer.next(value),
          error: (error) => observer.error(withData(error, given.op)),
          complete: end,
        })
        return () => {
          open.delete(end)
          subscription.unsubscribe()
        }
      })
  }
  return { link, end: () => [...open].forEach((end) => end()) }
}

/** An EventSource knows of a refusal no more than its status; the answer itself has the code and the sentence. */
function withData(error: TRPCClientError<AppRouter>, { context }: Operation): TRPCClientError<AppRouter> {
  const { refusal } = context
  return error.data == null && refusal instanceof Object ? TRPCClientError.from(refusal, { cause: error }) : error
}
