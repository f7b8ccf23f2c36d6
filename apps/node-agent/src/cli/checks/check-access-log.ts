import type { Finding } from '@roost/runtime'
import { open } from 'node:fs/promises'
import type { Machine } from '../../machine/machine.js'
import type { ParseAccessLine } from '../../swift/access-log/access-line.js'
import type { LogFormat } from '../../swift/access-log/log-format.js'
import type { AccessLog } from '../../swift/access-log/transfer-usage.js'

const check = 'access log'
const lastBytes = 256 * 1_024

/** Checks that the transfer of a proxy can be counted. */
export async function checkAccessLog(
  source: AccessLog | null,
  machine: Machine,
  format: LogFormat,
): Promise<readonly Finding[]> {
  const faults = format.faults.map(({ of, message, diff }): Finding => ({
    check,
    verdict: of === 's3' ? 'warn' : 'fail',
    message,
    diff,
  }))
  return [await checkSource(source, machine, format.parse), ...faults]
}

async function checkSource(source: AccessLog | null, machine: Machine, parse: ParseAccessLine): Promise<Finding> {
  if (source === null)
    return {
      check,
      verdict: 'warn',
      message:
        'transfer through the proxy is not counted: configure syslog to write the access log of the proxy to a file, and set "usage": {"access_log": …} to its path.',
    }
  if (source.kind === 'udp')
    return { check, verdict: 'ok', message: `received by UDP at ${source.address}:${source.port} while the agent runs` }
  return checkFile(source.path, machine.path(source.path), parse)
}

async function checkFile(shown: string, path: string, parse: ParseAccessLine): Promise<Finding> {
  const lines = await lastLines(path).catch((error: NodeJS.ErrnoException) => error)
  if (lines instanceof Error) {
    const remedy =
      lines.code === 'ENOENT'
        ? "configure syslog to write the proxy's log to this file"
        : "give the agent's user permission to read this file"
    return { check, verdict: 'fail', message: `${shown} (${lines.code}): ${remedy}.` }
  }
  const read = lines.flatMap((line) => parse(line) ?? [])
  if (lines.length > 0 && read.length === 0) {
    const message = `none of the last ${lines.length} lines of ${shown} has the format of the proxy's access log, which is log_msg_template of its configuration or Swift's own. Set "usage": {"access_log": …} to another file.`
    return { check, verdict: 'fail', message }
  }
  const seen = `${shown}, ${read.length} requests in its last ${lines.length} lines`
  const unplaced = read.filter(({ request }) => request?.account === null).length
  if (unplaced === 0) return { check, verdict: 'ok', message: seen }
  const message = `${seen}, ${unplaced} of them by S3 and without an account: they are not counted, and pct_complete is lower.`
  return { check, verdict: 'warn', message }
}

async function lastLines(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - lastBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(lastBytes), 0, lastBytes, from)
    const lines = buffer.toString('latin1', 0, bytesRead).split('\n')
    return (from > 0 ? lines.slice(1) : lines).filter((line) => line !== '')
  } finally {
    await file.close()
  }
}
