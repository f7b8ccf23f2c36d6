import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { runRoost, runToEnd } from '../support/programs/processes.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'

const version = '1.0.0'
const megabyte = 1e6
const starts = 5

/** Sizes of the packages for this architecture, and how fast their programs start. */
export async function benchPackages(): Promise<readonly Row[]> {
  const folder = await buildPackages({
    version,
    only: ['roost-agent', 'roost'],
    archs: [ownArch],
    formats: ['deb', 'rpm', 'tar'],
  })
  const scratch = await mkdtemp(join(tmpdir(), 'roost-bench-packages-'))
  try {
    const rows: Row[] = []
    for (const name of ['roost-agent', 'roost']) {
      const limit = (megabytes: number) => (name === 'roost-agent' ? atMost(megabytes) : null)
      for (const file of readdirSync(folder).filter((one) => isOf(one, name)))
        rows.push(row(file, statSync(join(folder, file)).size / megabyte, 'MB', limit(45)))
      const deb = join(folder, `${name}_${version}_${ownArch}.deb`)
      const { stdout } = await runToEnd('dpkg-deb', ['-f', deb, 'Installed-Size'])
      rows.push(row(`${name}: installed`, (Number(stdout) * 1024) / megabyte, 'MB', limit(130)))
      await runToEnd('dpkg-deb', ['-x', deb, scratch])
      rows.push(
        row(`${name} --version`, await cpuOfVersion(join(scratch, 'usr/lib', name, version)), 's CPU', atMost(0.15)),
      )
    }
    rows.push(row('roost-agent: start to first report', await firstReport(scratch), 's', atMost(1.5)))
    return rows
  } finally {
    await rm(scratch, { recursive: true })
  }
}

function isOf(file: string, name: string): boolean {
  return (
    /\.(?:deb|rpm|tar\.gz)$/.test(file) &&
    [`${name}_${version}`, `${name}-${version}`].some((start) => file.startsWith(start))
  )
}

/** Returns the CPU seconds of the fastest of some starts. */
async function cpuOfVersion(home: string): Promise<number> {
  let least = Infinity
  for (let i = 0; i < starts; i += 1) {
    const script = `"$1/node" "$1/dist/main.js" --version >/dev/null; times`
    const { stdout } = await runToEnd('sh', ['-c', script, 'sh', home])
    // The second line has the children. Behind a pipe the shell would have none.
    const [user = NaN, system = NaN] = [...(stdout.trim().split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, m, s]) => Number(m) * 60 + Number(s),
    )
    least = Math.min(least, user + system)
  }
  return least
}

/** Returns the seconds from the start of the agent until the control plane shows it online. */
async function firstReport(scratch: string): Promise<number> {
  const controlPlane = await startControlPlane()
  const { url, ca, key, dataDir } = controlPlane
  const client = new Client(url, { connect: { ca } })
  const home = join(scratch, 'usr/lib/roost-agent', version)
  const program = [join(home, 'dist/main.js'), '--data-dir', join(scratch, 'state')]
  try {
    const token = await runRoost(['token', 'create', '-o', 'json'], controlPlaneEnv(dataDir))
    const { lines } = JSON.parse(token.stdout) as { readonly lines: readonly string[] }
    const enrolled = await runToEnd(join(home, 'node'), [...program, ...(lines[0] ?? '').split(' ').slice(1)])
    if (enrolled.code !== 0) throw new Error(`The agent could not enroll: ${enrolled.stderr}`)
    const began = performance.now()
    const agent = spawn(join(home, 'node'), [...program, 'run'], { stdio: 'ignore' })
    const isOnline = async () => {
      const headers = { authorization: `apikey ${key}` }
      const { body } = await client.request({ method: 'GET', path: '/api/v1/nodes/', headers })
      const { objects } = (await body.json()) as { readonly objects: readonly { readonly state: string }[] }
      return objects[0]?.state === 'online'
    }
    try {
      while (!(await isOnline())) await sleep(10)
      return (performance.now() - began) / 1000
    } finally {
      agent.kill()
    }
  } finally {
    await client.close()
    await controlPlane.stop()
  }
}
