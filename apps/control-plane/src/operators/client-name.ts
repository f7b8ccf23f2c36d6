/** In the order in which they are asked for: Edge and Opera name Chrome too, and Chrome names Safari. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/Edg\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/Firefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/Version\/(\d+).*Safari/, 'Safari'],
]

/** Returns the browser that a User-Agent names, such as `Firefox 140 on Linux`; another client as it names itself. */
export function clientName(agent = ''): string {
  const [pattern, name] = browsers.find(([one]) => one.test(agent)) ?? []
  if (pattern === undefined) return agent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 64)
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent)?.[0].replace('Mac OS X', 'macOS')
  return `${name} ${pattern.exec(agent)?.[1]}${system === undefined ? '' : ` on ${system}`}`
}
