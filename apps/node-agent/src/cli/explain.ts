import { CommanderError } from 'commander'
import { ConfigError, printable } from '@roost/runtime'
import { DamagedFileError } from '../machine/managed-record.js'
import { IdentityError } from '../machine/identity.js'
import { ShareError } from '../shares/servers/validate-share.js'
import { StateLockedError } from '../machine/state-lock.js'
import { EnrollError } from '../uplink/enroll-error.js'
import { CommandError, exitCodes } from './command/command-error.js'

/** Why a command ended without its result: lines for the caller, and the exit code. */
export interface Explanation {
  readonly lines: readonly string[]
  readonly exitCode: number
}

/** Lines may have texts of a control plane and names of others: they are made printable. */
export function explain(error: unknown): Explanation {
  const { lines, exitCode } = reasonOf(error)
  return { lines: lines.flatMap((line) => line.split('\n')).map(printable), exitCode }
}

function reasonOf(error: unknown): Explanation {
  // Commander has said it already; asking for help is no failure.
  if (error instanceof CommanderError)
    return { lines: [], exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage }
  if (error instanceof CommandError)
    return { lines: [error.message, ...(error.remedy === null ? [] : [error.remedy])], exitCode: error.exitCode }
  if (error instanceof ShareError) return { lines: [error.message], exitCode: exitCodes.failed }
  if (error instanceof EnrollError) return { lines: [error.message, error.remedy], exitCode: exitCodes.failed }
  if (error instanceof ConfigError) return { lines: error.faults, exitCode: exitCodes.usage }
  return { lines: [describe(error)], exitCode: exitCodes.failed }
}

/** Returns a sentence for an error of the system. Any other error is a fault of the program, and is printed with its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = (error.cause ?? error) as NodeJS.ErrnoException
  const sentences = [DamagedFileError, IdentityError, StateLockedError]
  const isExpected = sentences.some((type) => error instanceof type) || cause.syscall !== undefined
  return isExpected ? error.message : (error.stack ?? error.message)
}
