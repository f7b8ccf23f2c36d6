import { accessLineParser, type ParseAccessLine } from './access-line.js'
import { type ProxyLogging, templateDiff } from './proxy-logging.js'
import { compileTemplate, hasAccount, missingFields, swiftTemplate, TemplateError } from './template.js'

/** A setting of a proxy because of which transfer is not counted. */
export interface FormatFault {
  /** `requests`: no request is counted. `s3`: requests by S3 are not. */
  readonly of: 'requests' | 's3'
  /** The file of the setting. */
  readonly file: string
  readonly message: string
  /** The template with which everything is counted. */
  readonly template: string
  /** Sets that template. */
  readonly diff: string
}

/** The format of the access log of this node's proxies. */
export interface LogFormat {
  readonly parse: ParseAccessLine
  readonly faults: readonly FormatFault[]
}

export function logFormatOf(proxies: readonly ProxyLogging[]): LogFormat {
  const faults = proxies.map(faultOf)
  const usable = proxies.filter((_, i) => faults[i]?.of !== 'requests')
  return {
    parse: accessLineParser({
      templates: [...new Set(usable.flatMap(({ template }) => template ?? []))],
      servesS3: proxies.some(({ servesS3 }) => servesS3),
    }),
    faults: faults.filter((fault) => fault !== undefined),
  }
}

function faultOf(proxy: ProxyLogging): FormatFault | undefined {
  const template = proxy.template ?? swiftTemplate
  const reason = reasonAgainst(template)
  if (reason !== undefined) {
    const better = repaired(template)
    const diff = templateDiff(proxy, better)
    const file = fileOf(diff)
    const message = `The log_msg_template of ${file} cannot be read: ${reason}, so that the transfer of accounts is not counted. Run \`roost-agent proxy prepare\`, or change that line as \`roost-agent doctor\` prints it and reload the proxy.`
    return { of: 'requests', file, message, template: better, diff }
  }
  if (!proxy.servesS3 || hasAccount(template)) return undefined
  const better = `${template} {account}`
  const diff = templateDiff(proxy, better)
  const file = fileOf(diff)
  const message = `Requests by S3 have no account in the access log of the proxy, so that their transfer is not counted. Add {account} to log_msg_template in ${file}, as \`roost-agent proxy prepare\` does and \`roost-agent doctor\` prints it, and reload the proxy.`
  return { of: 's3', file, message, template: better, diff }
}

function reasonAgainst(template: string): string | undefined {
  try {
    compileTemplate(template)
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}

/** Returns the template with the fields that it lacks at its end; Swift's own where that does not help. */
function repaired(template: string): string {
  try {
    const missing = missingFields(template)
    const fields = hasAccount(template) ? missing : [...missing.filter((field) => field !== '{account}'), '{account}']
    const longer = [template, ...fields].join(' ')
    compileTemplate(longer)
    return longer
  } catch {
    return `${swiftTemplate} {account}`
  }
}

function fileOf(diff: string): string {
  return /^--- (.*)$/m.exec(diff)?.[1] ?? ''
}
