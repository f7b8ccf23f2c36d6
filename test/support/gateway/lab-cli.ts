import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestApi } from '../http/api.js'
import { controlPlaneEnv } from '../http/control-plane.js'
import { runRoost } from '../programs/processes.js'
import type { LabNode } from './deployment-lab.js'

/** Runs the command line for the control plane of a test, with the files of a node of the test. */
export async function runLabCli(
  { url, ca, key }: Pick<TestApi, 'url' | 'ca' | 'key'>,
  { dataDir }: Pick<LabNode, 'dataDir'>,
  args: readonly string[],
): ReturnType<typeof runRoost> {
  const caFile = join(dataDir, 'ca-of-roost.pem')
  await writeFile(caFile, ca)
  return runRoost(args, { ...controlPlaneEnv(dataDir), ROOST_URL: url, ROOST_CA: caFile, ROOST_API_KEY: key })
}
