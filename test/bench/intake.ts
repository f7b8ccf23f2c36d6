import { cpuSeconds } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage, sharedNames } from './stage.js'

const nodes = 100
const framesEach = 100
const rounds = 3

/** Frames from real WebSockets through session, checks and store of one control-plane process; TLS off. */
export async function benchIntake(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const fleet = await stage.addFleet(nodes, [sharedNames])
    await fleet.burst(framesEach)
    const { pid } = stage.controlPlane
    const cpuBefore = cpuSeconds(pid)
    const start = performance.now()
    for (let i = 0; i < rounds; i++) await fleet.burst(framesEach)
    const seconds = (performance.now() - start) / 1000
    const frames = rounds * framesEach * nodes
    const samples = frames * sharedNames.length
    return [
      row(
        'CPU of the whole path',
        (cpuSeconds(pid) - cpuBefore) / (samples / 1e6),
        's per million samples',
        atMost(0.25),
        {
          'Graphite carbon': 22.5,
          'Prometheus scrape': 2.25,
          'Prometheus remote write': 6.35,
          VictoriaMetrics: 1.2,
          'Netdata parent': 3.1,
          'ws and JSON': 1.79,
          'ws and columns, the floor': 0.17,
        },
      ),
      row('frames of 800 values', frames / seconds, 'per second', null),
      row('samples', samples / seconds, 'per second', null),
    ]
  } finally {
    await stage.close()
  }
}
