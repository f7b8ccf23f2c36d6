import type { DesiredShare } from '@roost/api-types/agent'
import fc from 'fast-check'
import { cifsShare, nfsShare } from './sample-shares.js'

const word = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,20}$/)
/** Clients that need no name server. */
const address = fc.oneof(
  fc.ipV4(),
  fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`),
  fc.constantFrom('10.0.0.0/255.0.0.0', '.lab.example', '*.lab.example'),
  word.map((name) => `@${name}`),
)
const host = fc.oneof(
  fc.ipV4(),
  fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`),
  fc.constantFrom('10.0.0.0/255.0.0.0', '.lab.example', '*.lab.example', 'host-1.lab.example', 'yes', '0.0.0.0'),
  word.map((name) => `@${name}`),
)
const list = (entry: fc.Arbitrary<string>) =>
  fc.tuple(fc.array(entry, { maxLength: 6 }), fc.constantFrom(' ', ',', ', ')).map(([all, sign]) => all.join(sign))
const account = fc.stringMatching(/^[A-Za-z0-9_](?:[A-Za-z0-9._$\\-]{0,20}[A-Za-z0-9._$-])?$/)
const mask = fc.stringMatching(/^[0-7]{3,4}$/)

/** Signs that mean something to one of the servers, among others. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r',
        '\u2028',
        '\\',
        '[',
        ']',
        '%U',
        '%$(HOME)',
        ';',
        '#',
        '"',
        "'",
        '{',
        '}',
        '(',
        ')',
        '=',
      ),
      fc.constantFrom(
        ' ',
        '\t',
        ',',
        '*',
        '@',
        '+',
        '-',
        '/',
        '..',
        '\\040',
        '\0',
        '10.0.0.1',
        '(rw)',
        'photos',
        'share1',
      ),
      fc.constantFrom('[global]', 'include = /etc/passwd', 'EXPORT {', '%include "/x"', '/etc *(rw,no_root_squash)'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

/** One share in the middle of others; `usual` and `hostile` make its texts. */
function shareOf(texts: { readonly [K in 'name' | 'clients' | 'account' | 'mask']: fc.Arbitrary<string> }) {
  const common = fc.record({
    name: texts.name,
    clients_allowed_list: texts.clients,
    objectstore_container: nasty,
    access_mode: fc.constantFrom('rw', 'ro'),
    no_apple_doubles: fc.boolean(),
  })
  const nfs = fc.record({ root_squash: fc.boolean(), secure: fc.boolean() })
  const cifs = fc.record({
    cifs_browseable: fc.boolean(),
    cifs_guest_ok: fc.boolean(),
    cifs_create_mask: texts.mask,
    cifs_directory_mask: texts.mask,
    cifs_valid_users: texts.account,
    cifs_valid_groups: texts.account,
    password: fc.option(nasty),
  })
  return fc.oneof(
    fc.tuple(common, nfs).map(([some, rest]): DesiredShare => nfsShare(2, { ...some, ...rest })),
    fc.tuple(common, cifs).map(([some, rest]): DesiredShare => cifsShare(2, { ...some, ...rest })),
  )
}

const name = fc.stringMatching(/^[A-Za-z0-9_](?:[A-Za-z0-9._ -]{0,62}[A-Za-z0-9._-])?$/)
/** Within the contract, without a name of a host. */
export const addressed = shareOf({ name, clients: list(address), account: list(account), mask })
/** Within the contract. */
export const usual = shareOf({ name, clients: list(host), account: list(account), mask })
const either = (good: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: good }, { weight: 2, arbitrary: nasty })
/** Often not. */
export const hostile = shareOf({
  name: either(name),
  clients: either(list(host)),
  account: either(list(account)),
  mask: either(mask),
})
