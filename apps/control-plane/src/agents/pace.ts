/** Heartbeats a second that the whole fleet may cause. Below 200, because agents spread theirs by ± 20 %. */
const beatsPerSecond = 150

/** The heartbeat interval for a fleet: the base while it is small, longer where that would be too many messages. */
export function heartbeatIntervalMs(nodes: number, baseMs: number): number {
  return Math.max(baseMs, Math.ceil((nodes * 1000) / beatsPerSecond))
}

/** Over how long a fleet's reconnects are spread: seconds for a handful of nodes, at most two minutes. */
export function reconnectSpreadMs(nodes: number, perNodeMs: number): number {
  return Math.min(120_000, Math.max(1_000, nodes * perNodeMs))
}

/** When the agent number `index` of `count` may dial again: its own slot, so that no two hundred come at once. */
export function reconnectSlotMs(index: number, count: number, spreadMs: number): number {
  return Math.round(500 + ((index + Math.random()) / count) * spreadMs)
}

/** Whether a session that was told one interval should be told another: small changes are not worth a message. */
export function isOutOfPace(toldMs: number, wantedMs: number): boolean {
  return wantedMs > toldMs * 1.2 || wantedMs < toldMs * 0.8
}
