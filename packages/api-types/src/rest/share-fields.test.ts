import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseShareClient, splitList } from '../values/share-clients.js'
import type { ShareClient } from '../values/share-clients.js'
import { accountList, clientList, fileMode } from '../values/share-values.js'
import { shareSettings } from '../values/share-settings.js'
import { ContainerName, ShareName, SharePassword } from './share-fields.js'

const AccountList = accountList.rule
const ClientsAllowedList = clientList.rule
const FileMask = fileMode.rule
const UploadDelay = shareSettings.upload_delay.value.rule

const accepts = (schema: { readonly safeParse: (value: unknown) => { readonly success: boolean } }, value: unknown) =>
  schema.safeParse(value).success
const hostile = ['\n', '\r', '\u2028', '\u2029', '\0', '\t', '"', '#', ';', '=', '%', '(', ')', '[', ']', '`'] as const

describe('the name of a share', () => {
  it.each(['a', '_', '0', 'My docs', 'a.b-c_d', 'x'.repeat(64)])('may be %j', (name) => {
    expect(accepts(ShareName, name)).toBe(true)
  })

  it.each(['', ' a', 'a ', '.a', '-a', 'a/b', 'ä', 'x'.repeat(65), '[s]', '%U', 'a;b', 'print$', 'IPC$'])(
    'may not be %j',
    (name) => {
      expect(accepts(ShareName, name)).toBe(false)
    },
  )

  it.each(['global', 'Global', 'HOMES', 'printers'])('may not be %s, which Samba gives another meaning', (name) => {
    expect(accepts(ShareName, name)).toBe(false)
  })
})

describe('the container of a share', () => {
  it.each(['a', '...', '.a', 'a..b', 'Größe 10 %', '%2e', 'x'.repeat(256)])('may be %j', (name) => {
    expect(accepts(ContainerName, name)).toBe(name !== '%2e')
  })

  it.each([
    '',
    '.',
    '..',
    'a/b',
    '../../etc',
    '/etc',
    '%2e%2e',
    '%2E%2e%2Fetc',
    '\u2024\u2024',
    '\u2025',
    '\uff0e\uff0e',
    '\uff0e\uff0e\uff0fetc',
    'a\0',
    'a\nb',
    'a\u0085b',
    'a\u2028b',
    '\ud800',
    'x'.repeat(257),
    'ä'.repeat(129),
  ])('may not be %j', (name) => {
    expect(accepts(ContainerName, name)).toBe(false)
  })
})

describe('the clients of a share', () => {
  it.each([
    ['10.0.0.1', { kind: 'address', address: '10.0.0.1' }],
    ['10.0.0.0/8', { kind: 'subnet', address: '10.0.0.0', prefix: 8 }],
    ['10.0.0.0/255.255.0.0', { kind: 'subnet', address: '10.0.0.0', prefix: 16 }],
    ['0.0.0.0/0', { kind: 'subnet', address: '0.0.0.0', prefix: 0 }],
    ['host', { kind: 'domain', domain: 'host' }],
    ['host.lab.example', { kind: 'domain', domain: 'host.lab.example' }],
    ['.lab.example', { kind: 'suffix', domain: 'lab.example' }],
    ['*.lab.example', { kind: 'suffix', domain: 'lab.example' }],
    ['@trusted', { kind: 'netgroup', netgroup: 'trusted' }],
  ])('may be %s', (entry, expected) => {
    expect(parseShareClient(entry)).toEqual(expected)
    expect(accepts(ClientsAllowedList, entry)).toBe(true)
  })

  it.each([
    '*',
    '300.1.1.1',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/255.0.255.0',
    '10.0.0.0/',
    '2001:db8::1',
    '::/0',
    '-rw',
    'a_b',
    'a..b',
    'a.',
    '*lab.example',
    'x*.example',
    '*.',
    '.',
    '@',
    '@a/b',
    'host(rw)',
    '(rw)',
    '\\040',
    'ALL',
    'all',
    'EXCEPT',
    'Local',
    `${'a'.repeat(64)}.example`,
  ])('may not be %s', (entry) => {
    expect(accepts(ClientsAllowedList, entry)).toBe(false)
  })

  it('are separated by commas or blanks, and an empty list permits every client', () => {
    expect(splitList(' 10.0.0.1, .a.example  @b,')).toEqual(['10.0.0.1', '.a.example', '@b'])
    expect(accepts(ClientsAllowedList, ' 10.0.0.1, .a.example  @b,')).toBe(true)
    expect(accepts(ClientsAllowedList, '')).toBe(true)
  })

  it.each([' ', ',', ' ,', ', ,  ,'])('are not %j, which would open the share', (text) => {
    const messages = ClientsAllowedList.safeParse(text).error?.issues.map((issue) => issue.message)
    expect(messages).toEqual([
      'The list contains only separators. Give an entry, or send an empty string for every client.',
    ])
    expect(accepts(AccountList, text)).toBe(false)
  })

  it('are named in the refusal', () => {
    const messages = ClientsAllowedList.safeParse('10.0.0.1 a_b').error?.issues.map((issue) => issue.message)
    expect(messages).toEqual(['"a_b" is not an IPv4 address, subnet, domain name, .suffix or @netgroup.'])
  })
})

describe('users and groups of a share', () => {
  it.each(['', 'alice', 'alice,bob carol', 'DOM\\alice', 'pc1$', '_x', 'x'.repeat(64)])('may be %j', (text) => {
    expect(accepts(AccountList, text)).toBe(true)
  })

  it.each(['alice\\', 'DOM\\', '@group', '+group', '%U', '-x', '.x', 'x'.repeat(65), 'a;b'])(
    'may not be %j',
    (text) => {
      expect(accepts(AccountList, text)).toBe(false)
    },
  )
})

it.each([
  ['0664', true],
  ['775', true],
  ['0775', true],
  ['9999', false],
  ['0o664', false],
  ['07777', false],
  ['66', false],
  ['0664\n', false],
])('a mask of %j is taken: %j', (mask, expected) => {
  expect(accepts(FileMask, mask)).toBe(expected)
})

it.each([
  [0, true],
  [86_400, true],
  [-1, false],
  [86_401, false],
  [1.5, false],
  ['5', false],
])('an upload delay of %j is taken: %j', (delay, expected) => {
  expect(accepts(UploadDelay, delay)).toBe(expected)
})

it.each([
  ['x'.repeat(7), false],
  ['x'.repeat(8), true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['xxxx xxxx', false],
  ['xxxxxxxxä', false],
])("a share's password of %j is taken: %j", (password, expected) => {
  expect(accepts(SharePassword, password)).toBe(expected)
})

describe('whatever a client sends', () => {
  const runs = process.env.ROOST_TEST_LONG ? 100_000 : 3_000
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.oneof(fc.constantFrom(...hostile), fc.stringMatching(/^[a-zA-Z0-9._@*/\\$, -]{1,6}$/)), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  )

  it.each([
    ['name', ShareName, /^[A-Za-z0-9_](?:[A-Za-z0-9._ -]{0,62}[A-Za-z0-9._-])?$/],
    ['clients', ClientsAllowedList, /^[A-Za-z0-9.,@*/_ -]*$/],
    ['users and groups', AccountList, /^(?:[A-Za-z0-9._$\\, -]*[A-Za-z0-9._$, -])?$/],
    ['mask', FileMask, /^[0-7]{3,4}$/],
    ['password', SharePassword, /^[!-~]{8,128}$/],
    ['container', ContainerName, /^(?!\.{1,2}$)[^/\p{Cc}]+$/u],
  ])('%s lets no sign through that could end or open a directive', (_, schema, harmless) => {
    fc.assert(
      fc.property(text, (text) => {
        expect(!accepts(schema, text) || harmless.test(text)).toBe(true)
      }),
      { numRuns: runs },
    )
  })

  it('an entry that is taken is written back as the same client', () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.domain(),
      fc.domain().map((name) => `*.${name}`),
      text,
    )
    fc.assert(
      fc.property(entry, (entry) => {
        const client = parseShareClient(entry)
        expect(client && parseShareClient(written(client))).toEqual(client)
      }),
      { numRuns: runs },
    )
  })
})

function written(client: ShareClient): string {
  if (client.kind === 'address') return client.address
  if (client.kind === 'subnet') return `${client.address}/${client.prefix}`
  if (client.kind === 'netgroup') return `@${client.netgroup}`
  return client.kind === 'suffix' ? `.${client.domain}` : client.domain
}
