/** Maximum number of heartbeats per second. Below 200, because agents spread theirs by ± 20 %. */
const beatsPerSecond = 150

/** Returns the heartbeat interval for a number of nodes: the base interval, or a longer one to limit messages. */
export function heartbeatIntervalMs(nodes: number, baseMs: number): number {
  return Math.max(baseMs, Math.ceil((nodes * 1000) / beatsPerSecond))
}

/** Returns the time over which reconnects are spread: seconds for a few nodes, at most two minutes. */
export function reconnectSpreadMs(nodes: number, perNodeMs: number): number {
  return Math.min(120_000, Math.max(1_000, nodes * perNodeMs))
}

/** Returns when agent `index` of `count` may reconnect: its own slot, so that they do not all reconnect at once. */
export function reconnectSlotMs(index: number, count: number, spreadMs: number): number {
  return Math.round(500 + ((index + Math.random()) / count) * spreadMs)
}

/** Returns true if a session needs a new interval. Small changes are not sent. */
export function isOutOfPace(sentMs: number, wantedMs: number): boolean {
  return wantedMs > sentMs * 1.2 || wantedMs < sentMs * 0.8
}
