import { z } from 'zod'
import type { RunCommand } from '../../machine/run-command.js'

/** What a disk says of itself; NaN is unknown. */
export interface DiskHealth {
  /** Undefined where it does not say. */
  readonly passed: boolean | undefined
  readonly celsius: number
  readonly poweredSeconds: number
  /** Sectors that were replaced, that cannot be read at present, and that could not be read. */
  readonly reallocated: number
  readonly pending: number
  readonly uncorrectable: number
  /** Wear of flash memory in percent of what the maker expects; may be above 100. */
  readonly usedPercent: number
  readonly sparePercent: number
}

/** Why nothing is known of a disk. `asleep`: it was not woken up. `unsupported`: it has no such data. */
export interface UnknownHealth {
  readonly reason: 'asleep' | 'unsupported' | 'failed'
  readonly message: string
}

// The documented names of smartctl's JSON, of which a disk has some.
const count = z.number().optional()
const Answer = z.object({
  smartctl: z.object({
    messages: z.array(z.object({ string: z.string() })).default([]),
    exit_status: z.number().default(0),
  }),
  smart_status: z.object({ passed: z.boolean() }).optional(),
  temperature: z.object({ current: count }).default({}),
  power_on_time: z.object({ hours: count }).default({}),
  ata_smart_attributes: z
    .object({ table: z.array(z.object({ id: z.number(), raw: z.object({ value: z.number() }) })) })
    .default({ table: [] }),
  nvme_smart_health_information_log: z
    .object({ percentage_used: count, available_spare: count, media_errors: count })
    .default({}),
  scsi_grown_defect_list: count,
  scsi_percentage_used_endurance_indicator: count,
  endurance_used: z.object({ current_percent: count }).default({}),
})
type Answer = z.infer<typeof Answer>

/** By the numbers of ATA's attributes, which all makers use alike. */
const attributes = { reallocated: 5, pending: 197, uncorrectable: 198 } as const

/** Parses the answer of `smartctl --json`. */
export function parseSmartctl(text: string): DiskHealth | UnknownHealth {
  const answer = Answer.safeParse(jsonOf(text)).data
  if (answer === undefined) return failed('smartctl printed no JSON.')
  const message = answer.smartctl.messages.map(({ string }) => string).join(' ')
  if (/\b(?:STANDBY|SLEEP)\b/i.test(message) && answer.smart_status === undefined) return { reason: 'asleep', message }
  const health = healthIn(answer)
  if (health.passed !== undefined || Object.values(health).some((value) => typeof value === 'number' && value >= 0))
    return health
  const reason = /denied|not permitted/i.test(message) ? 'failed' : 'unsupported'
  return { reason, message: message || 'smartctl found no data about the health of the disk.' }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function healthIn(answer: Answer): DiskHealth {
  const { nvme_smart_health_information_log: nvme, ata_smart_attributes: ata } = answer
  const raw = (id: number) => ata.table.find((row) => row.id === id)?.raw.value
  const { scsi_percentage_used_endurance_indicator: scsiUsed } = answer
  return {
    passed: answer.smart_status?.passed,
    celsius: firstOf(answer.temperature.current),
    poweredSeconds: firstOf(answer.power_on_time.hours) * 3_600,
    reallocated: firstOf(raw(attributes.reallocated), answer.scsi_grown_defect_list),
    pending: firstOf(raw(attributes.pending)),
    uncorrectable: firstOf(raw(attributes.uncorrectable), nvme.media_errors),
    usedPercent: firstOf(nvme.percentage_used, answer.endurance_used.current_percent, scsiUsed),
    sparePercent: firstOf(nvme.available_spare),
  }
}

function firstOf(...values: readonly (number | undefined)[]): number {
  return values.find((value) => value !== undefined) ?? Number.NaN
}

const deadlineMs = 30_000

/** Asks a disk for its health, without waking it up. Never rejects; `ended` of a disk that hangs may never resolve. */
export async function askDisk(run: RunCommand, path: string) {
  const { outcome, stdout, ended } = await run('smartctl', ['--json=c', '-n', 'standby', '-i', '-H', '-A', path], {
    deadlineMs,
  })
  if (outcome === 'not_started') return { health: failed('Install smartmontools: there is no smartctl.'), ended }
  if (outcome !== 'exited') return { health: failed(`smartctl did not end within ${deadlineMs / 1_000} s.`), ended }
  return { health: parseSmartctl(stdout), ended }
}

function failed(message: string): UnknownHealth {
  return { reason: 'failed', message }
}
