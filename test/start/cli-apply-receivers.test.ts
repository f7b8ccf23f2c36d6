import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AlertReceiver } from '@roost/api-types/rest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const { cli, database } = await useRoostCli()
const folder = await mkdtemp(join(tmpdir(), 'roost-apply-receivers-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
let count = 0
let prod: string

beforeEach(async () => {
  count += 1
  prod = `prod-${count}`
  await addCluster(database, prod)
  await database.prisma.alertReceiver.deleteMany()
})

const write = async (name: string, ...documents: readonly string[]) => {
  const path = join(folder, `${count}-${name}`)
  await writeFile(path, documents.map((text) => `${text.trim()}\n`).join('---\n'))
  return path
}
/** The name of a file of settings, beside the files of documents. */
const settings = async (name: string, text: string) => {
  await writeFile(join(folder, `${count}-${name}`), text)
  return `settings_file: ${count}-${name}`
}
const hook = 'kind: alert_receiver\nname: on-call\ntype: webhook'
const mail = () => `kind: alert_receiver\nname: storage team\ntype: email\ncluster: ${prod}\nleast_severity: critical`
const mailSettings = 'host: mail.example\nfrom: roost@example.com\nto: [ops@example.com]\n'
const apply = (path: string, ...args: readonly string[]) => cli('apply', '-f', path, '--yes', ...args)
const receivers = async () =>
  JSON.parse((await cli('alert', 'receiver', 'list', '-o', 'json')).stdout) as readonly AlertReceiver[]

describe('roost apply of receivers of alerts', () => {
  it('makes them, also in a cluster of the same file, and then nothing', async () => {
    const url = await settings('hook', 'url: https://alerts.example/secret-path\nauthorization: Bearer secret-token\n')
    const smtp = await settings('mail', `${mailSettings}user: roost\npassword: secret-password\n`)
    const path = await write(
      'all.yaml',
      'set: alerts',
      `${hook}\n${url}`,
      `${mail().replace(prod, `new-${count}`)}\n${smtp}`,
      `kind: cluster\nname: new-${count}`,
    )
    const { code, stdout, stderr } = await apply(path)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(
      `create cluster new-${count}\ncreate alert_receiver on-call\n  type: "webhook"\n  set: "alerts"\n` +
        `create alert_receiver storage team\n  type: "email"\n  cluster: "new-${count}"\n  least_severity: "critical"\n  set: "alerts"\n`,
    )
    expect(stdout).not.toContain('secret')
    expect(await receivers()).toMatchObject([
      { name: 'on-call', kind: 'webhook', cluster: null, target: 'https://alerts.example', set: 'alerts' },
      {
        name: 'storage team',
        kind: 'email',
        cluster: expect.any(String),
        target: 'ops@example.com by mail.example:587',
      },
    ])
    expect((await apply(path)).stdout).toBe('Nothing to change.\n')
  })

  it('changes settings of which only a secret differs, and shows neither', async () => {
    const path = await write(
      'hook.yaml',
      `${hook}\n${await settings('hook', 'url: https://alerts.example/secret-1\n')}`,
    )
    await apply(path)
    const [before] = await receivers()
    await settings('hook', 'url: https://alerts.example/secret-2\n')
    const { stdout } = await apply(path)
    expect(stdout).toMatch(
      /^change alert_receiver on-call\n {2}settings: "of before" -> "of the file"\n1 change made; [^\n]*\n$/,
    )
    const [after] = await receivers()
    expect(Date.parse(after?.settings_changed_at ?? '')).toBeGreaterThan(Date.parse(before?.settings_changed_at ?? ''))
    // The same settings in another notation.
    await settings('hook', '{"url": "https://alerts.example/secret-2"}')
    expect((await apply(path)).stdout).toBe('Nothing to change.\n')
    expect((await receivers())[0]?.settings_changed_at).toBe(after?.settings_changed_at)
  })

  it('shows the target of new settings beside other fields, and changes nothing with --dry-run', async () => {
    const smtp = await settings('mail', mailSettings)
    await apply(await write('one.yaml', `${mail()}\n${smtp}`))
    await settings('mail', mailSettings.replace('ops@', 'night@'))
    const path = await write('two.yaml', `${mail()}\nenabled: false\n${smtp}`)
    const plan =
      'change alert_receiver storage team\n  enabled: true -> false\n  settings: "of before" -> "of the file"\n' +
      '  target: "ops@example.com by mail.example:587" -> "night@example.com by mail.example:587"\n'
    expect((await apply(path, '--dry-run')).stdout).toContain(plan)
    expect(await receivers()).toMatchObject([{ enabled: true, target: 'ops@example.com by mail.example:587' }])
    expect((await apply(path)).stdout).toContain(plan)
    expect(await receivers()).toMatchObject([{ enabled: false, target: 'night@example.com by mail.example:587' }])
  })

  it('accepts what -o yaml prints, keeps settings without a file of them, and needs it for a new receiver', async () => {
    const smtp = await settings('mail', mailSettings)
    await apply(await write('all.yaml', 'set: alerts', `${mail()}\n${smtp}`))
    const printed = (await cli('alert', 'receiver', 'list', '-o', 'yaml')).stdout
    expect(printed).toBe(
      `kind: alert_receiver\nname: storage team\ntype: email\ncluster: ${prod}\nleast_severity: critical\n` +
        'send_resolved: true\nenabled: true\nset: alerts\n',
    )
    expect((await apply(await write('printed.yaml', printed))).stdout).toBe('Nothing to change.\n')
    await cli('alert', 'receiver', 'remove', 'storage team')
    const refused = await apply(await write('printed.yaml', printed))
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("Receiver 'storage team' is new. Give the path of its settings as settings_file."),
    ])
    await apply(await write('again.yaml', `${printed}${smtp}`))
    expect((await cli('alert', 'receiver', 'list', '-o', 'yaml')).stdout).toBe(printed)
  })

  it('removes with --prune only what its set has made', async () => {
    const url = await settings('hook', 'url: https://alerts.example/\n')
    await apply(
      await write('all.yaml', 'set: alerts', `${hook}\n${url}`, `${hook.replace('on-call', 'second')}\n${url}`),
    )
    await apply(await write('other.yaml', 'set: other', `${hook.replace('on-call', 'others')}\n${url}`))
    await apply(await write('none.yaml', `${hook.replace('on-call', 'by hand')}\n${url}`))
    const { code, stdout } = await apply(await write('less.yaml', 'set: alerts', hook), '--prune')
    expect([code, stdout]).toEqual([0, expect.stringContaining('remove alert_receiver second\n')])
    expect((await receivers()).map(({ name, set }) => [name, set])).toEqual([
      ['on-call', 'alerts'],
      ['others', 'other'],
      ['by hand', undefined],
    ])
  })

  it('refuses a receiver of another set, type or cluster, and settings that are faulty, inline or absent', async () => {
    const url = await settings('hook', 'url: https://alerts.example/\n')
    await apply(await write('all.yaml', 'set: alerts', `${hook}\n${url}`))
    const stolen = await apply(await write('stolen.yaml', 'set: other', hook))
    expect([stolen.code, stolen.stderr]).toEqual([
      4,
      expect.stringContaining('"roost alert receiver set … --set null"'),
    ])
    const moved = await apply(await write('moved.yaml', `${hook.replace('webhook', 'email')}\ncluster: ${prod}`))
    expect(moved.stderr).toContain(
      "A receiver keeps its cluster and its type: 'on-call' has cluster: null and type: webhook.",
    )
    const second = hook.replace('on-call', 'second')
    const faulty = await apply(
      await write(
        'faulty.yaml',
        `${hook}\n${await settings('faulty', 'url: ftp://secret.example\n')}`,
        `${second}\n${await settings('empty', '')}`,
        `${second.replace('second', 'third')}\nsettings_file: absent`,
      ),
    )
    expect(faulty.code).toBe(2)
    expect(faulty.stderr).toContain(`Cannot read the settings file ${join(folder, 'absent')} (ENOENT).`)
    const refused = await apply(
      await write('refused.yaml', `${hook}\n${await settings('ftp', 'url: ftp://secret.example\n')}`),
    )
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Use a URL such as https://')])
    const inline = await apply(
      await write('inline.yaml', `${second}\nsettings: {url: "https://alerts.example/secret"}`),
    )
    expect([inline.code, inline.stderr]).toEqual([2, expect.stringContaining('Unrecognized key: "settings"')])
    for (const { stderr } of [faulty, refused, inline]) expect(stderr).not.toContain('secret')
    expect(await receivers()).toMatchObject([{ name: 'on-call', target: 'https://alerts.example' }])
  })
})
