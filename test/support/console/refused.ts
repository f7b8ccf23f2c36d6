import type { BrowserContext } from 'playwright-core'

/** Has the server refuse each call of a procedure such as `clusters.list`, and answer the others of its batch. Returns what ends that. */
export async function refuseCalls(context: BrowserContext, procedure: string): Promise<() => Promise<void>> {
  const isCall = (url: URL) => namesIn(url).includes(procedure)
  await context.route(isCall, (route, request) => {
    const url = new URL(request.url())
    const inputs = JSON.parse(url.searchParams.get('input') ?? '{}') as Record<string, unknown>
    for (const [i, name] of namesIn(url).entries()) if (name === procedure) inputs[i] = 'not what it takes'
    url.searchParams.set('input', JSON.stringify(inputs))
    return route.continue({ url: url.href })
  })
  return () => context.unroute(isCall)
}

/** Returns the procedures of a batch. */
function namesIn({ pathname }: URL): readonly string[] {
  return pathname.split('/trpc/')[1]?.split(',') ?? []
}
