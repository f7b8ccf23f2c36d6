import { afterAll, beforeAll } from 'vitest'
import { createTestDatabase } from '../database/database.js'
import { controlPlaneEnv, startControlPlane } from '../http/control-plane.js'
import type { ControlPlaneProcess } from '../http/control-plane.js'
import { runRoost } from './processes.js'

/** Runs the command line against a control plane of this suite. Call it at the top of the suite. */
export async function useRoostCli() {
  const database = await createTestDatabase()
  let roost: ControlPlaneProcess | undefined
  const running = (): ControlPlaneProcess => {
    if (roost === undefined) throw new Error('The control plane has not started yet.')
    return roost
  }
  beforeAll(async () => {
    roost = await startControlPlane({ env: { DATABASE_URL: database.url } })
  })
  afterAll(async () => {
    await roost?.stop()
    await database.drop()
  })
  return {
    database,
    get roost() {
      return running()
    },
    cli: (...args: readonly string[]) => runRoost(args, controlPlaneEnv(running().dataDir)),
  }
}
