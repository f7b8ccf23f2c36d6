import { type DesiredShare, type settingDefaults, type ShareSetting, shareSettingRows } from '@roost/api-types/agent'
import fc from 'fast-check'
import { cifsShare, nfsShare } from './sample-shares.js'

const token = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,20}$/)
/** Clients that need no name server. */
const address = fc.oneof(
  fc.ipV4(),
  fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`),
  fc.constantFrom('10.0.0.0/255.0.0.0', '.lab.example', '*.lab.example'),
  token.map((name) => `@${name}`),
)
const host = fc.oneof(
  fc.ipV4(),
  fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, prefix]) => `${address}/${prefix}`),
  fc.constantFrom('10.0.0.0/255.0.0.0', '.lab.example', '*.lab.example', 'host-1.lab.example', 'yes', '0.0.0.0'),
  token.map((name) => `@${name}`),
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

type Texts = { readonly [K in 'name' | 'clients' | 'accounts' | 'mode']: fc.Arbitrary<string> }

/** Values of a setting by its kind. */
function valueOf({ value }: ShareSetting, texts: Texts): fc.Arbitrary<unknown> {
  if (value.kind === 'flag') return fc.boolean()
  if (value.kind === 'choice') return fc.constantFrom(...value.options)
  if (value.kind !== 'number') return texts[value.kind]
  const number = fc.integer({ min: value.min, max: value.max })
  return value.isOptional ? fc.option(number) : number
}

function settingsOf<P extends 'every' | 'nfs' | 'cifs'>(protocol: P, texts: Texts) {
  const rows = shareSettingRows.filter(([, row]) => row.protocol === protocol)
  const values = Object.fromEntries(rows.map(([name, row]) => [name, valueOf(row, texts)]))
  return fc.record(values) as fc.Arbitrary<ReturnType<typeof settingDefaults<P>>>
}

/** One share in the middle of others; `usual` and `hostile` make its texts. */
function shareOf(texts: Texts) {
  const identity = fc.record({ name: texts.name, objectstore_container: nasty })
  const common = fc.tuple(identity, settingsOf('every', texts)).map(([base, settings]) => ({ ...base, ...settings }))
  const password = fc.record({ password: fc.option(nasty) })
  return fc.oneof(
    fc.tuple(common, settingsOf('nfs', texts)).map(([some, rest]): DesiredShare => nfsShare(2, { ...some, ...rest })),
    fc
      .tuple(common, settingsOf('cifs', texts), password)
      .map(([some, rest, login]): DesiredShare => cifsShare(2, { ...some, ...rest, ...login })),
  )
}

const name = fc.stringMatching(/^[A-Za-z0-9_](?:[A-Za-z0-9._ -]{0,62}[A-Za-z0-9._-])?$/)
/** Within the contract, without a name of a host. */
export const addressed = shareOf({ name, clients: list(address), accounts: list(account), mode: mask })
/** Within the contract. */
export const usual = shareOf({ name, clients: list(host), accounts: list(account), mode: mask })
const either = (good: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: good }, { weight: 2, arbitrary: nasty })
/** Often not. */
export const hostile = shareOf({
  name: either(name),
  clients: either(list(host)),
  accounts: either(list(account)),
  mode: either(mask),
})
