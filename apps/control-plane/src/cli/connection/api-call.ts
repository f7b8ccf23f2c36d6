import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { requireKey } from '../client/api.js'
import { sendAccepted } from '../client/http.js'
import type { HttpRequest } from '../client/http.js'
import { findConnection } from '../client/target.js'
import type { Target } from '../client/target.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { page } from '../terminal/pager.js'
import type { Terminal } from '../terminal/terminal.js'

interface CallFlags {
  readonly data?: string | undefined
  readonly all?: boolean
  readonly curl?: boolean
  readonly dryRun?: boolean | undefined
}

const defaultTimeoutMs = 120_000
/** Paths that are not below /api/v1. */
const otherPaths = /^\/(?:api|trpc|docs|healthz|readyz|metrics|openapi\.json)(?:[/?]|$)/

/** Adds the command that calls any route. */
export function addApiCall(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('api <method> <path>')
    .description('Call a route of the API and print its answer')
    .option('-d, --data <json>', 'body: JSON, @FILE, or - for standard input')
    .option('--dry-run', 'have the server check a write, and change nothing: adds validate=1')
    .option('--all', 'follow the pages of a list and print all its objects')
    .option('--curl', 'print the request as a line for curl instead of sending it, without the key')
    .addHelpText(
      'after',
      '\nPaths are below /api/v1: "roost api GET /nodes/" calls /api/v1/nodes/. /docs/ of the server lists all.',
    )
    .action(async (method: string, path: string, { data, all = false, curl = false, dryRun }: CallFlags) => {
      const settings = config()
      const connection = await findConnection(settings)
      const asked = await askedOf(terminal, method, path, { data, dryRun })
      if (curl) {
        terminal.out.write(curlLine(connection, asked))
        return
      }
      const apiKey = requireKey(connection, settings)
      const headers = {
        authorization: `apikey ${apiKey}`,
        ...(asked.body !== undefined && { 'content-type': 'application/json' }),
      }
      const request = { ...asked, headers, timeoutMs: settings.call?.timeoutMs ?? defaultTimeoutMs }
      await page(terminal, await (all ? allObjects(connection, request) : oneAnswer(connection, request)))
    })
}

async function askedOf(
  terminal: Terminal,
  method: string,
  path: string,
  { data, dryRun = false }: CallFlags,
): Promise<HttpRequest> {
  const asked = { method: method.toUpperCase(), path: dryRun ? checkedPath(path) : fullPath(path) }
  return data === undefined ? asked : { ...asked, body: await readBody(data, terminal.in) }
}

function fullPath(path: string): string {
  const absolute = path.startsWith('/') ? path : `/${path}`
  return otherPaths.test(absolute) ? absolute : `/api/v1${absolute}`
}

/** Reads ignore the parameter. */
function checkedPath(path: string): string {
  const full = fullPath(path)
  if (!full.startsWith('/api/v1/')) throw new CommandError('--dry-run needs a path below /api/v1.', exitCodes.usage)
  return `${full}${full.includes('?') ? '&' : '?'}validate=1`
}

async function oneAnswer(target: Target, request: HttpRequest): Promise<string> {
  const { body, headers } = await sendAccepted(target, request)
  if (body === '') return ''
  return headers['content-type']?.startsWith('application/json') === true ? pretty(JSON.parse(body)) : body
}

async function allObjects(target: Target, request: HttpRequest): Promise<string> {
  const objects: unknown[] = []
  for (let path: string | null = request.path; path !== null;) {
    const { body } = await sendAccepted(target, { ...request, path })
    const found = JSON.parse(body) as { readonly meta?: { readonly next: string | null }; readonly objects?: unknown[] }
    if (found.objects === undefined) throw new CommandError(`${request.path} is not a list.`, exitCodes.usage)
    objects.push(...found.objects)
    path = found.meta?.next ?? null
  }
  return pretty(objects)
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function curlLine({ url, ca }: Target, { method, path, body }: HttpRequest): string {
  const parts = [
    `curl -X ${method}`,
    ...(ca === undefined ? [] : ['--cacert "$ROOST_CA"']),
    '-H "Authorization: apikey $ROOST_API_KEY"',
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(body)}`]),
    quoted(new URL(path, url).href),
  ]
  return `${parts.join(' ')}\n`
}

/** Reads the body of a request: a text, `-` for standard input, or `@` and a file. */
async function readBody(text: string, input: NodeJS.ReadStream): Promise<string> {
  if (text === '-') return textOf(input)
  if (!text.startsWith('@')) return text
  return readFile(text.slice(1), 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read the file ${text.slice(1)} (${code}).`, exitCodes.usage)
  })
}
