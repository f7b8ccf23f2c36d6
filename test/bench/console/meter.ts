import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { repository } from '../../support/http/control-plane.js'
import { settled } from '../../support/console/chromium.js'

/** What a page has asked for. Sizes are as they were sent, with their headers. */
interface Asked {
  readonly path: string
  readonly isStream: boolean
  bytes: number
  isDone: boolean
}

/** What a page costs, by the protocol of Chromium's own tools. */
export interface Meter {
  readonly asked: readonly Asked[]
  /** CPU of the page's main thread so far, in milliseconds, without the commands that measure it and ask whether it is quiet. */
  cpuMs(): Promise<number>
  /** Memory of JavaScript in use after garbage was collected, in MB, and the nodes of the document. */
  memory(): Promise<{ readonly heapMb: number; readonly nodes: number }>
  /** Waits until nothing is loading and nothing was asked for a while. */
  quiet(): Promise<void>
}

const quietMs = 400

/** Starts to measure a page, which has loaded nothing yet. */
export async function createMeter(page: Page): Promise<Meter> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const asked = await recordRequests(session)
  return {
    asked,
    async cpuMs() {
      const { metrics } = await session.send('Performance.getMetrics')
      const secondsOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
      return (secondsOf('TaskDuration') - secondsOf('DevToolsCommandDuration')) * 1000
    },
    async memory() {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      const { nodes } = await session.send('Memory.getDOMCounters')
      return { heapMb: usedSize / 1e6, nodes }
    },
    async quiet() {
      for (let count = -1; ;) {
        await settled(page)
        if (count === asked.length && asked.every(({ isDone, isStream }) => isDone || isStream)) return
        count = asked.length
        await sleep(quietMs)
      }
    },
  }
}

async function recordRequests(session: CDPSession): Promise<readonly Asked[]> {
  const asked: Asked[] = []
  const byId = new Map<string, Asked>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname, protocol } = new URL(request.url)
    // A picture that is in the script is no request.
    if (protocol === 'data:') return
    const one = { path: pathname, isStream: pathname.includes('events.watch'), bytes: 0, isDone: false }
    asked.push(one)
    byId.set(requestId, one)
  })
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const one = byId.get(requestId)
    if (one) one.bytes += encodedDataLength
  })
  // A stream of events is reported by its messages, which are not compressed.
  session.on('Network.eventSourceMessageReceived', ({ requestId, eventName, data }) => {
    const one = byId.get(requestId)
    if (one) one.bytes += `event: ${eventName}\ndata: \n\n`.length + Buffer.byteLength(data)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = byId.get(requestId)
    if (one) Object.assign(one, { bytes: encodedDataLength, isDone: true })
  })
  session.on('Network.loadingFailed', ({ requestId }) => {
    const one = byId.get(requestId)
    if (one) one.isDone = true
  })
  await session.send('Network.enable')
  return asked
}

const site = join(repository, 'apps/console/dist/site')

/** Returns the kB of the files of one kind among what was asked for, as the build compressed them. */
export function filesKb(asked: readonly Asked[], ending: '.js' | '.css' | '.woff2'): number {
  const paths = new Set(asked.map(({ path }) => path).filter((path) => path.endsWith(ending)))
  return [...paths].reduce((sum, path) => sum + sizeOf(join(site, path)), 0) / 1000
}

function sizeOf(file: string): number {
  return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size
}

/** Returns the kB of the answers of the API among what was asked for, without the stream of changes. */
export function jsonKb(asked: readonly Asked[]): number {
  return kb(asked.filter(({ path, isStream }) => !isStream && /\/(?:trpc|session)/.test(path)))
}

export function streamKb(asked: readonly Asked[]): number {
  return kb(asked.filter(({ isStream }) => isStream))
}

/** Returns the kB of everything but the stream of changes. */
export function transferKb(asked: readonly Asked[]): number {
  return kb(asked.filter(({ isStream }) => !isStream))
}

function kb(asked: readonly Asked[]): number {
  return asked.reduce((sum, { bytes }) => sum + bytes, 0) / 1000
}
