import { csvLine, printable, renderTable } from '@roost/runtime'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { cellText, painted } from './cells.js'
import type { Cell, Columns } from './cells.js'
import { CommandError, exitCodes } from './exit-codes.js'
import { parseJsonPath, valuesAt } from './json-path.js'
import { page } from './pager.js'
import type { Terminal } from './terminal.js'

const formats = ['table', 'wide', 'json', 'yaml', 'csv', 'name'] as const

const jsonPathPrefix = 'jsonpath='
type Format = (typeof formats)[number] | `${typeof jsonPathPrefix}${string}`

/** How records of a kind are printed. */
export interface View<R> {
  readonly columns: Columns<R>
  /** Further columns of `wide` and CSV, which `--columns` may name, too. */
  readonly wide?: Columns<R>
  /** The name or id that other commands accept, for `-o name`. */
  readonly name: (record: R) => string | number
  /** What `roost apply` accepts, for `-o yaml`; without it, the record. */
  readonly document?: (record: R) => object
}

export interface OutputOptions {
  readonly output: Format
  readonly columns?: readonly string[]
  /** False with `--no-headers`. */
  readonly headers: boolean
}

/** The options of a command that prints a sentence, or the record that it has changed in the format that is asked for. */
export interface ResultOptions extends Omit<OutputOptions, 'output'> {
  readonly output?: Format
}

/** Adds the options of the output to a command. */
export function withOutput(command: Command): Command {
  const description = 'output format; jsonpath=[*].id prints values of the JSON, a line each'
  return withFormat(command, formatOption(description).default('table'))
}

/** Adds the options of the output to a command that changes a record and prints a sentence without them. */
export function withResult(command: Command): Command {
  return withFormat(command, formatOption('print the changed record in this format, in place of a sentence'))
}

function formatOption(description: string): Option {
  return new Option('-o, --output <format>', description).choices(formats).argParser(parseFormat)
}

function withFormat(command: Command, format: Option): Command {
  return command
    .addOption(format)
    .option('--columns <names>', 'columns to print, separated by commas, such as ID,NAME', parseColumns)
    .option('--no-headers', 'leave out the line of headings')
}

function parseFormat(text: string): Format {
  const format = formats.find((one) => one === text)
  if (format !== undefined) return format
  if (!isJsonPath(text)) throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}, jsonpath=PATH.`)
  if (parseJsonPath(text.slice(jsonPathPrefix.length)) !== undefined) return text
  throw new InvalidArgumentError("A path is made of .field, ['field'], [0], [-1] and [*], such as [*].node_role.id.")
}

function isJsonPath(text: string): text is `${typeof jsonPathPrefix}${string}` {
  return text.startsWith(jsonPathPrefix)
}

function parseColumns(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Separate headings by commas, such as ID,NAME.')
  return names
}

/** Prints records, in pages where they do not fit on the terminal. */
export async function print<R>(
  terminal: Terminal,
  records: readonly R[],
  view: View<R>,
  options: OutputOptions,
): Promise<void> {
  await page(terminal, shownOn(terminal, await render(terminal, records, view, options), options))
}

/** Prints one record: a line for each cell in a table, an object in JSON and YAML. */
export async function printOne<R>(terminal: Terminal, record: R, view: View<R>, options: OutputOptions): Promise<void> {
  await page(terminal, shownOn(terminal, await renderOne(terminal, record, view, options), options))
}

/** Prints what a change came to: a sentence, or the record where a format is asked for. */
export async function printResult<R>(
  terminal: Terminal,
  { record, view, sentence }: { readonly record: R; readonly view: View<R>; readonly sentence: string },
  { output, ...options }: ResultOptions,
): Promise<void> {
  if (output === undefined) terminal.out.write(`${printable(sentence)}\n`)
  else await printOne(terminal, record, view, { ...options, output })
}

async function render<R>(
  terminal: Terminal,
  records: readonly R[],
  view: View<R>,
  options: OutputOptions,
): Promise<string> {
  const { output } = options
  if (output === 'json' || isJsonPath(output)) return jsonOf(records, output)
  if (output === 'yaml') return yamlOf(records.map((record) => view.document?.(record) ?? (record as object)))
  if (output === 'name') return records.map((record) => `${printable(String(view.name(record)))}\n`).join('')
  const columns = columnsOf(view, options)
  return output === 'csv' ? csvOf(records, columns, options) : tableOf(terminal, records, columns, options)
}

async function renderOne<R>(terminal: Terminal, record: R, view: View<R>, options: OutputOptions): Promise<string> {
  if (options.output === 'json' || isJsonPath(options.output)) return jsonOf(record, options.output)
  if (options.output !== 'table' && options.output !== 'wide') return render(terminal, [record], view, options)
  const columns = Object.entries(columnsOf({ ...view, columns: { ...view.columns, ...view.wide } }, options))
  const width = Math.max(...columns.map(([heading]) => heading.length))
  const now = nowOf(options)
  return columns
    .map(([heading, read]) => {
      const cell = read(record)
      const text = printable(cellText(cell, now) || '-')
      const shown = terminal.style.color ? painted(cell, text) : text
      return options.headers ? `${heading.padEnd(width)}  ${shown}\n` : `${shown}\n`
    })
    .join('')
}

/** Prints a value that is no list of records of a kind, as JSON or YAML. Refuses formats that have rows. */
export async function printValue(terminal: Terminal, value: object, options: OutputOptions): Promise<void> {
  requireStructured(options)
  const { output } = options
  const text = output === 'yaml' ? await yamlOf([value]) : jsonOf(value, output)
  await page(terminal, shownOn(terminal, text, options))
}

/** Returns what a terminal may show: programs get YAML, JSON and CSV as they are, and tables are printable already. */
function shownOn({ out }: Terminal, text: string, { output }: Pick<OutputOptions, 'output'>): string {
  if (!out.isTTY || output === 'table' || output === 'wide') return text
  return text
    .split('\n')
    .map((line) => printable(line))
    .join('\n')
}

/** Throws where a command that has no rows is asked for them. */
export function requireStructured(options: OutputOptions): void {
  if (isStructured(options)) return
  throw new CommandError(
    `There is no ${options.output} of this: it has no rows. Use -o json, yaml or jsonpath=PATH.`,
    exitCodes.usage,
  )
}

export function isStructured({ output }: OutputOptions): boolean {
  return output === 'json' || output === 'yaml' || isJsonPath(output)
}

/** Returns whether a person reads the output, who gets more than one table. */
export function isTabular({ output, columns }: OutputOptions): boolean {
  return (output === 'table' || output === 'wide') && columns === undefined
}

/** Returns the JSON of a value, or what a path finds in it: texts as they are, a line each. */
function jsonOf(value: unknown, output: Format): string {
  if (!isJsonPath(output)) return `${JSON.stringify(value, null, 2)}\n`
  // What JSON leaves out is not there for a path either.
  const plain: unknown = JSON.parse(JSON.stringify(value))
  return valuesAt(plain, parseJsonPath(output.slice(jsonPathPrefix.length)) ?? [])
    .map((found) => `${printable(typeof found === 'string' ? found : JSON.stringify(found))}\n`)
    .join('')
}

/** The library is loaded only here, because it takes 20 ms. */
async function yamlOf(documents: readonly object[]): Promise<string> {
  const { stringify } = await import('yaml')
  return documents.map((document) => stringify(document, { lineWidth: 0 })).join('---\n')
}

function nowOf({ output }: OutputOptions): number | undefined {
  return output === 'table' ? Date.now() : undefined
}

/** Headings are compared without case, blanks and dashes. */
function simple(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z\d%]/g, '')
}

function columnsOf<R>({ columns, wide = {} }: View<R>, { output, columns: asked }: OutputOptions): Columns<R> {
  const all: Columns<R> = { ...columns, ...wide }
  if (asked === undefined) return output === 'table' ? columns : all
  const headings = Object.keys(all)
  const chosen = asked.map((name) => {
    const heading = headings.find((each) => simple(each) === simple(name))
    if (heading === undefined)
      throw new CommandError(`There is no column '${name}'. Columns: ${headings.join(', ')}.`, exitCodes.usage)
    return [heading, all[heading] as (record: R) => Cell] as const
  })
  return Object.fromEntries(chosen)
}

function tableOf<R>(
  { out, style }: Terminal,
  records: readonly R[],
  columns: Columns<R>,
  options: OutputOptions,
): string {
  const cells = records.map((record) => Object.values(columns).map((read) => read(record)))
  const now = nowOf(options)
  const rows = cells.map((row) => row.map((cell) => cellText(cell, now) || '-'))
  return renderTable(Object.keys(columns), rows, {
    headings: options.headers,
    ...(style.color && { paint: (padded, row, column) => painted(cells[row]?.[column], padded) }),
    ...(out.isTTY && options.output === 'table' && { maxWidth: out.columns }),
  })
}

function csvOf<R>(records: readonly R[], columns: Columns<R>, { headers }: OutputOptions): string {
  const lines = records.map((record) => csvLine(Object.values(columns).map((read) => csvCell(read(record)))))
  return [...(headers ? [csvLine(Object.keys(columns))] : []), ...lines].join('')
}

function csvCell(cell: Cell): string | number | boolean {
  return typeof cell === 'number' || typeof cell === 'boolean' ? cell : cellText(cell)
}
