import { hostname, machine as ourMachine } from 'node:os'
import type { InventoryHost } from '@roost/api-types/agent'
import { kernelOf, type Machine } from '../machine/machine.js'

export function readHost(machine: Machine): InventoryHost {
  const kernel = kernelOf(machine)
  const cpu = parseCpuinfo(kernel.read('/proc/cpuinfo') ?? '')
  return {
    hostname: readHostname(machine),
    os: parseOsRelease(machine.read('/etc/os-release') ?? machine.read('/usr/lib/os-release') ?? ''),
    kernel: kernel.read('/proc/sys/kernel/osrelease')?.trim() ?? null,
    architecture: kernel.read('/proc/sys/kernel/arch')?.trim() ?? ourMachine(),
    cpu_model: cpu.model,
    cpu_cores: cpu.cores,
    memory_bytes: parseMemoryTotal(kernel.read('/proc/meminfo') ?? ''),
  }
}

/** The name may stand in `/etc` alone. */
function readHostname(machine: Machine): string {
  const name = machine.read('/proc/sys/kernel/hostname')?.trim() || machine.read('/etc/hostname')?.trim()
  return name || hostname()
}

function parseOsRelease(text: string): string | null {
  return /^PRETTY_NAME=(["']?)(.*)\1$/m.exec(text)?.[2] ?? null
}

/** Counts CPUs as the kernel schedules them, which is what `nproc` says. ARM names its model elsewhere, or nowhere. */
function parseCpuinfo(text: string): { readonly model: string | null; readonly cores: number } {
  const cores = text.match(/^processor\s*:/gm)?.length ?? 0
  const model = /^(?:model name|Model|cpu model)\s*:\s*(.+)$/m.exec(text)?.[1]
  return { model: model?.trim() ?? null, cores }
}

function parseMemoryTotal(meminfo: string): number {
  return Number(/^MemTotal:\s*(\d+) kB$/m.exec(meminfo)?.[1] ?? 0) * 1024
}
