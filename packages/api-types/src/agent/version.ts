/**
 * The version of the protocol between node agent and control plane. One integer; every change that the other
 * side can notice raises it and gets a line here.
 *
 * 1 · 2026-11-20 · enrollment, challenge and hello, inventory, catalogue and metric frames, device usage, settings,
 *     heartbeat, acknowledgement, usage by half-hour, plans, desired state and what became of it, drift
 * 2 · 2026-11-22 · requests of several kinds and their answers; uploads of a share and their leftovers; mount_restored;
 *     the size of a share's cache; bounds of numbers, depth of messages; `share_fields` in the hello, and an agent refuses
 *     a desired state with a field that it does not know
 */
export const protocolVersion = 2

/** The oldest agent that this control plane still serves in full. */
export const oldestProtocolVersion = 1
