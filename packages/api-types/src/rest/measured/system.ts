import { z } from 'zod'

const Bytes = z.int().min(0)

const AgentVersion = z.object({
  version: z.string().nullable().meta({ description: 'Null for nodes that never connected' }),
  nodes: z.int().min(0),
})

/** The control plane itself. */
export const SystemInfo = z
  .object({
    version: z.string(),
    started: z.iso.datetime(),
    database: z.object({
      version: z.string().meta({ description: 'Of PostgreSQL' }),
      is_embedded: z.boolean().meta({ description: 'Roost runs it, in its data directory' }),
      is_disk_full: z.boolean().meta({ description: 'Its disk is full: nothing can be changed' }),
      size_bytes: Bytes,
    }),
    history: z.object({
      is_on: z.boolean(),
      size_bytes: Bytes,
      max_bytes: Bytes,
      is_paused: z.boolean().meta({ description: 'Less than a tenth of the disk is available: none is stored' }),
    }),
    disk: z
      .object({ available_bytes: Bytes, total_bytes: Bytes })
      .nullable()
      .meta({ description: 'That of the data directory; null until it was read' }),
    certificate: z
      .object({
        valid_until: z.iso.datetime(),
        is_own: z.boolean().meta({ description: 'Roost issued it, and renews it' }),
        authority_valid_until: z.iso.datetime().nullable().meta({ description: "Null for somebody else's authority" }),
      })
      .nullable()
      .meta({ description: 'Null where TLS is off' }),
    key_file_fault: z
      .string()
      .nullable()
      .meta({ description: 'Why the key file does not decrypt the secrets of the database; null if it does' }),
    agents: z.object({
      connected: z.int().min(0),
      parked: z.int().min(0).meta({ description: 'Another machine has the same identity' }),
      connecting: z.int().min(0).meta({ description: 'Not authenticated yet' }),
      versions: z.array(AgentVersion).meta({ description: 'All nodes by the version of their agents, the most first' }),
    }),
    last_backup: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The last that "roost local backup" has completed; null if there is none' }),
  })
  .meta({
    id: 'SystemInfo',
    examples: [
      {
        version: '0.2.0',
        started: '2026-11-20T05:00:11.000Z',
        database: { version: '18.4', is_embedded: true, is_disk_full: false, size_bytes: 734_003_200 },
        history: { is_on: true, size_bytes: 512_000_000, max_bytes: 20_000_000_000, is_paused: false },
        disk: { available_bytes: 80_000_000_000, total_bytes: 120_000_000_000 },
        certificate: {
          valid_until: '2027-02-18T05:00:11.000Z',
          is_own: true,
          authority_valid_until: '2036-11-18T05:00:11.000Z',
        },
        key_file_fault: null,
        agents: { connected: 11, parked: 0, connecting: 0, versions: [{ version: '0.2.0', nodes: 12 }] },
        last_backup: '2026-11-26T02:30:40.000Z',
      },
    ],
  })
export type SystemInfo = z.infer<typeof SystemInfo>
