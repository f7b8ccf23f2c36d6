import { decodeMetricFrame } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import type { FrameBuffer } from './frame-buffer.js'

export interface Backlog {
  readonly clock: Clock
  readonly frames: FrameBuffer
  /** How old a frame may be to be wanted. */
  readonly backlogMs: number
  /** Says whether the session of this backlog is still open. */
  readonly isOpen: () => boolean
  /** Says whether the control plane can read frames of that catalogue. */
  readonly wants: (catalogue: number) => boolean
  /** Sends a text. Returns false when the socket is full. */
  readonly send: (frame: Uint8Array) => boolean
}

/** Ten frames a second, to spare a server to which a whole fleet reconnects. */
const paceMs = 100

/** Sends the readings taken while disconnected, oldest first and after live ones, and deletes them. */
export async function replayBacklog(backlog: Backlog): Promise<void> {
  const { frames, backlogMs, isOpen } = backlog
  if (backlogMs > 0)
    for await (const bytes of frames.replay()) if (isWanted(backlog, bytes)) await sendWhenRoom(backlog, bytes)
  if (isOpen()) await frames.clear()
}

function isWanted({ clock, backlogMs, wants, isOpen }: Backlog, bytes: Uint8Array): boolean {
  try {
    const { time, catalogue } = decodeMetricFrame(bytes)
    return isOpen() && time * 1000 >= clock.now() - backlogMs && wants(catalogue)
  } catch {
    // Another version of the agent wrote it.
    return false
  }
}

async function sendWhenRoom({ clock, isOpen, send }: Backlog, bytes: Uint8Array): Promise<void> {
  do await new Promise<void>((resolve) => clock.after(paceMs, resolve))
  while (isOpen() && !send(bytes))
}
