import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DesiredShare, DesiredState } from '@roost/api-types/agent'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import { checkWithExportfs } from './servers/kernel-nfs/exportfs-check.js'
import { bodiesOf } from './testing/rendered-shares.js'
import { differenceFrom, readBySamba } from './servers/samba/config.js'
import { sambaFormat } from './servers/samba/format.js'
import { addressed } from '@roost/testing/arbitraries'

const isEnabled = Boolean(process.env.ROOST_TEST_SYSTEM) && process.getuid?.() === 0
const batches = process.env.ROOST_TEST_LONG ? 100 : 4

const golden = fileURLToPath(new URL('golden', import.meta.url))
const exportsOf = (shares: readonly DesiredShare[]) => bodiesOf(shares)['/etc/exports.d/roost.exports'] ?? ''
const sectionsOf = (shares: readonly DesiredShare[]) => bodiesOf(shares)['/etc/samba/roost.d/shares.conf'] ?? ''
const checkExports = (text: string) => checkWithExportfs(text, runCommand)

/** Reads every section with Samba, and says what differs from what the file should mean. */
async function readSections(text: string) {
  const printed = await readBySamba(`[global]\n${text}`, runCommand)
  const names = [...printed.keys()].filter((name) => name !== 'global')
  return { names, difference: differenceFrom(printed, sambaFormat.parse(text)) }
}

/** Many shares in one file, each with a name and a number of its own. */
function batch(seed: number): readonly DesiredShare[] {
  return fc.sample(addressed, { numRuns: 50, seed }).map((share, i) => ({
    ...share,
    id: i + 1,
    export_number: i + 1,
    name: `${i}${share.name.slice(0, 60).trimEnd()}`,
  }))
}

describe.skipIf(!isEnabled)(
  'files as the real testparm and exportfs read them (as root, with ROOST_TEST_SYSTEM=1)',
  () => {
    it.each(readdirSync(golden))('the shares of golden/%s', { timeout: 180_000 }, async (name) => {
      const desired = DesiredState.parse(JSON.parse(readFileSync(join(golden, name, 'desired.json'), 'utf8')))
      const shares = desired.kind === 'gateway' ? desired.shares : []
      expect((await readSections(sectionsOf(shares))).difference).toBeUndefined()
      const said = await checkExports(exportsOf(shares)).then(
        () => 'read as intended',
        (error: unknown) => String(error),
      )
      // No name server knows the hosts of the examples.
      expect(said).toMatch(
        /host1\.lab\.example|\.lab\.example$/.test(exportsOf(shares)) ? /Failed to resolve/ : /^read as/,
      )
    })

    it('fuzzed shares, whole files of them', { timeout: 600_000 }, async () => {
      for (let seed = 0; seed < batches; seed++) {
        const shares = batch(seed)
        const { names, difference } = await readSections(sectionsOf(shares))
        expect(difference).toBeUndefined()
        expect(names.toSorted()).toEqual(
          shares
            .filter(({ protocol }) => protocol === 'cifs')
            .map((share) => share.name)
            .toSorted(),
        )
        await checkExports(exportsOf(shares))
      }
    })

    it.each([
      ['/srv/x 10.0.0.300(rw,no_subtree_check,fsid=1)\n', /resolve/],
      ['/srv/x 10.0.0.0/33(rw,no_subtree_check,fsid=1)\n', /Invalid prefix/],
      ['/srv/x 10.0.0.1(rw,bogus=1)\n', /unknown keyword/],
    ])('exportfs refuses %j', { timeout: 180_000 }, async (text, reason) => {
      await expect(checkExports(text)).rejects.toThrow(reason)
    })

    it.each([
      [
        '[global]\nfoo = 1\n[broken]\nguest ok = maybe\n',
        'testparm: set_variable_helper(maybe): value is not boolean!',
      ],
      ['[global]\nsecurity = no\n', "testparm: WARNING: Ignoring invalid value 'no' for parameter 'security'"],
    ])('testparm refuses %j, and says why', { timeout: 180_000 }, async (text, reason) => {
      await expect(readBySamba(text, runCommand)).rejects.toThrow(new Error(reason))
    })

    it('leaves the exports of this machine as they are', { timeout: 180_000 }, async () => {
      const etab = () => openMachine().read('/var/lib/nfs/etab')
      const before = etab()
      await checkExports('/srv/roost/1 10.0.0.1(rw,fsid=1)\n')
      expect(etab()).toBe(before)
    })
  },
)
