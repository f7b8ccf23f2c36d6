import { readFileSync } from 'node:fs'
import type { Inventory } from '@roost/api-types/agent'
import { type AgentConfig, readConfig } from '../../config.js'
import { startHelper } from '../../machine/helper.js'
import { openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import type { Interfaces } from '../addresses.js'
import { createDeviceProbe } from '../device-probe.js'
import { createFilesystemErrors } from '../filesystem-errors.js'
import { createInventoryReader } from '../inventory.js'
import { createMountStamps } from '../mount-stamp.js'
import { slowFiles } from './slow-files.js'

const interfacesFile = new URL('../fixtures/interfaces.json', import.meta.url)
const interfaces = (): Interfaces => JSON.parse(readFileSync(interfacesFile, 'utf8'))

/** Reads the inventory of the machine below a root. */
export async function readInventory(root: string, more: Partial<AgentConfig> = {}): Promise<Inventory> {
  const config = { ...readConfig({ dataDir: root, root }, {}), ...more }
  const machine = openMachine(root)
  const blocks = slowFiles(machine)
  const probe = createDeviceProbe({ machine, run: runCommand, start: startHelper, monotonic: blocks.monotonic })
  const parts = {
    probe,
    errors: createFilesystemErrors(machine, runCommand),
    stamps: createMountStamps({ machine, ...blocks }),
  }
  const options = { config, machine, run: runCommand, ...parts, blocks, askRecon: async () => undefined, interfaces }
  const { inventory } = await createInventoryReader(options)()
  return inventory
}
