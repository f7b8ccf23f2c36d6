import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@roost/database'
import type { Browser } from 'playwright-core'
import { hasBrowser, launchChromium, enterConsole, settled } from '../support/console/chromium.js'
import { repository, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { startFleet } from './fleet.js'
import { writePast } from './past.js'
import { addRecords } from './records.js'

/** In the repository, and not in a package. */
const folder = join(repository, 'docs/pictures')
const maxBytes = 150_000
/** The health of a cluster is judged every 30 s, and what is wrong appears after that. */
const judgedMs = 65_000

if (!hasBrowser) {
  console.error('Install Chromium first: apt-get install chromium-headless-shell')
  process.exitCode = 1
} else await makePictures()

/** Starts the product with the fleet of a small cluster, and makes a picture of some screens in both themes. */
async function makePictures(): Promise<void> {
  const roost = await startControlPlane({ env: { ROOST_LOG_LEVEL: 'error' } })
  const database = openDatabase({ host: join(roost.dataDir, 'run'), user: 'postgres', database: 'roost' })
  try {
    const { id: clusterId } = await database.prisma.cluster.findFirstOrThrow()
    await database.prisma.cluster.update({ where: { id: clusterId }, data: { name: 'prod' } })
    await writePast(database, clusterId)
    const fleet = await startFleet(roost, database, clusterId)
    const plan = await addRecords(roost, clusterId, fleet.idOf)
    console.log('Waiting for the health of the cluster to be judged.')
    await sleep(judgedMs)
    await makeAll(roost, {
      overview: '/',
      node: `/nodes/${fleet.idOf('st-02')}`,
      plan: `/deployments/new?kind=shares&plan=${plan}`,
      capacity: '/capacity',
    })
    fleet.stop()
  } finally {
    await database.close()
    await roost.stop()
  }
}

async function makeAll(roost: ControlPlaneProcess, paths: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const browser = await launchChromium()
  for (const theme of ['light', 'dark'] as const) await makeOfTheme(browser, roost, theme, paths)
  await browser.close()
}

async function makeOfTheme(
  browser: Browser,
  { url, key }: ControlPlaneProcess,
  theme: 'light' | 'dark',
  paths: Readonly<Record<string, string>>,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: url,
    ignoreHTTPSErrors: true,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
  })
  const page = await context.newPage()
  await page.goto('/')
  await enterConsole(page, key)
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(path)
    await settled(page)
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    // Charts are drawn after their values have arrived.
    await sleep(1_500)
    const file = join(folder, `${name}-${theme}.png`)
    await page.screenshot({ path: file })
    const { size } = await stat(file)
    console.log(`${file}: ${Math.round(size / 1000)} kB`)
    if (size > maxBytes) throw new Error(`${file} is larger than ${maxBytes / 1000} kB.`)
  }
  await context.close()
}
