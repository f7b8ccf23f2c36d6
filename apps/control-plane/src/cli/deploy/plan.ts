import { counted, printable } from '@roost/runtime'
import type { IdentityPlan, Job, JobPlan, NodePlan } from '@roost/api-types/rest'

/** Returns a plan as text: files with their diffs, what servers do, and the clients that lose their session. */
export function describePlan({ nodes, identity }: JobPlan, hostnames: ReadonlyMap<string, string>): string {
  const parts = nodes.map((plan) => [`${hostnames.get(plan.node) ?? plan.node}:`, ...linesOf(plan).map(indented)])
  if (identity !== undefined) parts.push(['identity service:', ...identityLines(identity).map(indented)])
  return `${parts.flat().map(printable).join('\n')}\n`
}

/** Returns a line for each proxy to which a deployment of users does not go. An older control plane sends none. */
export function describeLeftOut(
  { left_out: leftOut = [] }: Partial<Pick<Job, 'left_out'>>,
  hostnames: ReadonlyMap<string, string>,
): string {
  return leftOut
    .map(({ node, message }) => `${printable(`Left out: ${hostnames.get(node) ?? node} ${message}.`)}\n`)
    .join('')
}

/** Returns how many sessions of clients a plan ends. */
export function lostSessions({ nodes }: JobPlan): number {
  return nodes.flatMap(({ daemons }) => daemons.flatMap(({ sessions_lost: lost }) => lost)).length
}

function linesOf({ error, files, daemons, mounts, notes }: NodePlan): readonly string[] {
  if (error !== null) return [`cannot say: ${error}`]
  const lines = [
    ...files.flatMap(({ path, change, diff }) => [`${change} ${path}`, ...diff.trimEnd().split('\n').map(indented)]),
    ...daemons.flatMap(({ daemon, action, sessions_lost: lost }) => [
      `${daemon}: ${action}${lost.length === 0 ? '' : `, ends ${counted(lost.length, 'session')}`}`,
      ...lost.map(({ share, client, user }) => indented(`${client}${user === null ? '' : ` (${user})`} on ${share}`)),
    ]),
    ...mounts.started.map((name) => `mount ${name}`),
    ...mounts.stopped.map((name) => `unmount ${name}`),
    ...notes,
  ]
  return lines.length === 0 ? ['nothing changes'] : lines
}

function identityLines({ objects, notes }: IdentityPlan): readonly string[] {
  const lines = objects.map(({ type, name, change, detail }) => `${change} ${type} ${name} ${detail}`.trimEnd())
  return lines.length + notes.length === 0 ? ['nothing changes'] : [...lines, ...notes]
}

function indented(line: string): string {
  return line === '' ? line : `  ${line}`
}
