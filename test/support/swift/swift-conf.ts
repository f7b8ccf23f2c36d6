import type { PolicyLayout } from './layout.js'

export type Settings = Readonly<Record<string, string | number | boolean>>

/** Returns the text of a configuration file, by section. */
export function ini(sections: Readonly<Record<string, Settings>>): string {
  return Object.entries(sections)
    .map(([name, settings]) => [
      `[${name}]`,
      ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`),
      '',
    ])
    .flat()
    .join('\n')
}

/** Returns the `swift.conf` of every node of a cluster. */
export function swiftConf(policies: readonly PolicyLayout[]): string {
  const sections = policies.map(({ name, fragments }, index) => {
    const first: Settings = index === 0 ? { default: 'yes', aliases: 'premium' } : {}
    return [`storage-policy:${index}`, { name, ...copiesOf(fragments), ...first }] as const
  })
  const hash = { swift_hash_path_suffix: 'testsuffix', swift_hash_path_prefix: 'testprefix' }
  return ini({ 'swift-hash': hash, ...Object.fromEntries(sections) })
}

function copiesOf(fragments: PolicyLayout['fragments']): Settings {
  if (fragments === undefined) return { policy_type: 'replication' }
  const { data: ec_num_data_fragments, parity: ec_num_parity_fragments } = fragments
  return {
    policy_type: 'erasure_coding',
    ec_type: 'liberasurecode_rs_vand',
    ec_num_data_fragments,
    ec_num_parity_fragments,
    ec_object_segment_size: 1_048_576,
  }
}
