import { accessSync, constants, writeSync } from 'node:fs'
import { join } from 'node:path'
import { baseboard, bios, cpu, diskLayout, memLayout, networkInterfaces, system } from 'systeminformation'
import {
  biosSection,
  boardSection,
  cpuSection,
  diskSection,
  interfaceSection,
  memorySection,
  systemSection,
  type Access,
  type Section,
  type SectionName,
} from './sections.js'

const searchPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

const access: Access = {
  fault: (file) => faultOf(file, constants.R_OK),
  isInstalled: (program) => searchPath.some((folder) => faultOf(join(folder, program), constants.X_OK) === undefined),
}

function faultOf(file: string, mode: number): string | undefined {
  try {
    accessSync(file, mode)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

/** Slow sections come last: what is printed before the process is killed counts. */
const sections: readonly (readonly [SectionName, () => Promise<Section>])[] = [
  ['system', async () => systemSection(await system(), access)],
  ['board', async () => boardSection(await baseboard(), access)],
  ['bios', async () => biosSection(await bios())],
  ['cpu', async () => cpuSection(await cpu())],
  ['memory_modules', async () => memorySection(await memLayout(), access)],
  ['disks', async () => diskSection(await diskLayout(), access)],
  ['interfaces', async () => interfaceSection([await networkInterfaces()].flat())],
]

for (const [name, read] of sections) {
  const section = await read().catch((error: unknown): Section => ({
    name,
    value: null,
    unavailable: { [name]: String(error).slice(0, 200) },
  }))
  for (let bytes = Buffer.from(`${JSON.stringify(section)}\n`); bytes.length > 0;)
    bytes = bytes.subarray(writeSync(1, bytes))
}
