import type { HardwareReport } from '@roost/api-types/agent'
import type { Systeminformation as Read } from 'systeminformation'

export type SectionName = Exclude<keyof HardwareReport, 'read_at' | 'unavailable'>

/** The lines that the process prints: one for each section, as soon as it is read. */
export interface Section<Name extends SectionName = SectionName> {
  readonly name: Name
  readonly value: HardwareReport[Name]
  /** The reason for each value that could not be read. */
  readonly unavailable: HardwareReport['unavailable']
}

/** The files that the process may read on this machine. */
export interface Access {
  /** Returns the error's code; undefined where the file is readable. */
  readonly fault: (file: string) => string | undefined
  readonly isInstalled: (program: string) => boolean
}

const needsRoot = 'needs root'
const notReported = 'not reported by the firmware'
const dmi = '/sys/class/dmi/id'
const maxText = 200
const maxParts = 2_000

export function systemSection(read: Read.SystemData, access: Access): Section<'system'> {
  const { manufacturer, model, version, serial, uuid, sku, virtual } = read
  const texts = textsOf({ manufacturer, model, version, serial, uuid, sku })
  return {
    name: 'system',
    value: isEmpty(texts) ? null : { ...texts, is_virtual: virtual },
    unavailable: {
      ...(isEmpty(texts) ? { system: notReported } : {}),
      ...rootOnly(access, 'system.serial', texts.serial, `${dmi}/product_serial`),
      ...rootOnly(access, 'system.uuid', texts.uuid, `${dmi}/product_uuid`),
    },
  }
}

export function boardSection(read: Read.BaseboardData, access: Access): Section<'board'> {
  const { manufacturer, model, version, serial, assetTag } = read
  const texts = textsOf({ manufacturer, model, version, serial, asset_tag: assetTag })
  return {
    name: 'board',
    value: isEmpty(texts) ? null : texts,
    unavailable: {
      ...(isEmpty(texts) ? { board: notReported } : {}),
      ...rootOnly(access, 'board.serial', texts.serial, `${dmi}/board_serial`),
    },
  }
}

export function biosSection({ vendor, version, releaseDate }: Read.BiosData): Section<'bios'> {
  const texts = textsOf({ vendor, version, release_date: isoDate(releaseDate) })
  return isEmpty(texts)
    ? { name: 'bios', value: null, unavailable: { bios: notReported } }
    : { name: 'bios', value: texts, unavailable: {} }
}

export function cpuSection(read: Read.CpuData): Section<'cpu'> {
  const { manufacturer, brand, processors, physicalCores, cores, speedMax, speed } = read
  const maxGhz = speedMax || speed
  const value = {
    ...textsOf({ manufacturer, model: brand }),
    sockets: countOf(processors),
    physical_cores: countOf(physicalCores),
    logical_cores: countOf(cores),
    max_ghz: maxGhz > 0 ? maxGhz : null,
  }
  return { name: 'cpu', value, unavailable: {} }
}

/** The library reports the size of the memory as one module without a type where it could not read the modules. */
export function memorySection(read: readonly Read.MemLayoutData[], access: Access): Section<'memory_modules'> {
  if (read.every(({ type }) => type === ''))
    return { name: 'memory_modules', value: null, unavailable: { memory_modules: missingModules(access) } }
  const value = read.slice(0, maxParts).map((module) => ({
    ...textsOf({ bank: module.bank, type: module.type === 'Empty' ? '' : module.type, form_factor: module.formFactor }),
    size_bytes: countOf(module.size) ?? 0,
    speed_mhz: countOf(module.clockSpeed) || null,
    ...textsOf({ manufacturer: module.manufacturer, part_number: module.partNum, serial: module.serialNum }),
  }))
  return { name: 'memory_modules', value, unavailable: {} }
}

export function diskSection(read: readonly Read.DiskLayoutData[], access: Access): Section<'disks'> {
  if (read.length === 0 && !access.isInstalled('lsblk'))
    return { name: 'disks', value: null, unavailable: { disks: 'lsblk is not installed' } }
  const value = read.slice(0, maxParts).map((disk) => ({
    name: disk.device.replace(/^\/dev\//, ''),
    ...textsOf({ vendor: disk.vendor, model: disk.name, serial: disk.serialNum, firmware: disk.firmwareRevision }),
    ...textsOf({ interface: disk.interfaceType, kind: disk.type }),
    size_bytes: countOf(disk.size),
  }))
  return { name: 'disks', value, unavailable: {} }
}

/** Addresses are part of the inventory already, and change more often. */
export function interfaceSection(read: readonly Read.NetworkInterfacesData[]): Section<'interfaces'> {
  const value = read
    .filter(({ internal }) => !internal)
    .slice(0, maxParts)
    .map(({ iface, mac, speed, duplex, mtu, virtual }) => ({
      name: iface,
      mac: /[1-9a-f]/i.test(mac) ? textOf(mac) : null,
      speed_mbps: countOf(speed),
      duplex: duplex === 'unknown' ? null : textOf(duplex),
      mtu: countOf(mtu),
      is_virtual: virtual,
    }))
  return { name: 'interfaces', value, unavailable: {} }
}

/** Firmware writes MM/DD/YYYY, which the library reads as DD/MM/YYYY. */
function isoDate(read: string): string {
  const [year, day, month] = read.split('-')
  return month === undefined || Number(month) > 12 ? read : [year, month, day].join('-')
}

function textsOf<Name extends string>(texts: Readonly<Record<Name, string | undefined>>): Record<Name, string | null> {
  const entries = Object.entries<string | undefined>(texts)
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(text)])) as Record<Name, string | null>
}

/** Vendors leave texts empty; a database accepts no NUL. */
function textOf(text: string | undefined): string | null {
  const printable = (text ?? '').replaceAll(/\p{Cc}/gu, ' ').trim()
  return printable === '' || printable === '-' ? null : Array.from(printable).slice(0, maxText).join('')
}

function countOf(number: number | null): number | null {
  return number !== null && Number.isFinite(number) && number >= 0 ? Math.round(number) : null
}

function isEmpty(texts: Readonly<Record<string, string | null>>): boolean {
  return Object.values(texts).every((text) => text === null)
}

function rootOnly(access: Access, name: string, value: string | null, file: string): HardwareReport['unavailable'] {
  return value === null && access.fault(file) === 'EACCES' ? { [name]: needsRoot } : {}
}

function missingModules({ fault, isInstalled }: Access): string {
  const table = fault('/sys/firmware/dmi/tables/DMI')
  if (table === 'EACCES') return needsRoot
  return table === undefined && !isInstalled('dmidecode') ? 'dmidecode is not installed' : notReported
}
