import { describe, expect, it } from 'vitest'
import { parseIni } from './ini.js'
import { objectRingName, parsePolicies, policyOfRing } from './swift-conf.js'

describe('swift.conf', () => {
  it('has policies with aliases, default, deprecation and type', () => {
    const policies = parsePolicies(`
[swift-hash]
swift_hash_path_suffix = x
[storage-policy:2]
name: ec
policy_type = erasure_coding
ec_type = isa_l_rs_vand
ec_num_data_fragments = 4
ec_num_parity_fragments = 2
deprecated = yes
[storage-policy:0]
name = gold
aliases = premium, gold , best
default = Yes
`)
    expect(policies).toEqual([
      {
        index: 0,
        name: 'gold',
        aliases: ['premium', 'best'],
        is_default: true,
        is_deprecated: false,
        type: 'replication',
      },
      {
        index: 2,
        name: 'ec',
        aliases: [],
        is_default: false,
        is_deprecated: true,
        type: 'erasure_coding',
        ec: {
          type: 'isa_l_rs_vand',
          data_fragments: 4,
          parity_fragments: 2,
          duplication_factor: 1,
          segment_bytes: 1_048_576,
        },
      },
    ])
  })

  it('without policies has the default policy of Swift', () => {
    expect(parsePolicies('[swift-hash]\nswift_hash_path_suffix = x\n')).toEqual([
      { index: 0, name: 'Policy-0', aliases: [], is_default: true, is_deprecated: false, type: 'replication' },
    ])
  })

  it.each([
    ['[storage-policy:x]\nname = a', /must end with the index/],
    ['[storage-policy:0]\ndefault = yes', /has no name/],
    ['[storage-policy:0]\nname = a\npolicy_type = erasure_coding', /has no ec_type/],
    [
      '[storage-policy:0]\nname = a\npolicy_type = erasure_coding\nec_type = x\nec_num_data_fragments = 0',
      /no valid ec_num_data_fragments/,
    ],
    ['[storage-policy:0]\nname = a\n[storage-policy:1]\nname = b', /no policy is the default/],
    [
      '[storage-policy:0]\nname = a\ndefault = 1\n[storage-policy:1]\nname = b\ndefault = 1',
      /more than one policy is the default/,
    ],
    [
      '[storage-policy:0]\nname = a\ndefault = 1\n[storage-policy:1]\nname = b\naliases = A',
      /0 and 1 are both named a/,
    ],
  ])('is refused as Swift would refuse it: %j', (text, reason) => {
    expect(() => parsePolicies(text)).toThrow(reason)
  })

  it('names the ring of a policy, and the policy of a ring', () => {
    expect([0, 1, 12].map(objectRingName)).toEqual(['object', 'object-1', 'object-12'])
    expect(['object', 'object-1', 'object-12'].map(policyOfRing)).toEqual([0, 1, 12])
    expect(['account', 'container', 'object-x'].map(policyOfRing)).toEqual([undefined, undefined, undefined])
  })
})

describe('the syntax of Swift’s files', () => {
  it('merges pieces, applies [DEFAULT] and continues indented lines', () => {
    const ini = parseIni('[DEFAULT]\nbind_ip = 10.0.0.1\n# no\n; no\n[a]\nUSER = x\n y\n', '[a]\nport: 1\r\nempty =\n')
    expect(Object.fromEntries(ini.get('a') ?? [])).toEqual({ bind_ip: '10.0.0.1', user: 'x\ny', port: '1', empty: '' })
  })

  it('ignores lines before the first section', () => {
    expect([...parseIni('stray = 1\nnonsense\n[a]\n').keys()]).toEqual(['a'])
  })
})
