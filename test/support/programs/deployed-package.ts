import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../http/control-plane.js'
import { runToEnd } from './processes.js'

/** Returns the fenced block of a page that contains the text. */
export function blockOfPage(page: string, text: string): string {
  const blocks = [...readFileSync(join(repository, page), 'utf8').matchAll(/^```\w*\n(.*?)^```$/gms)]
  const found = blocks.map(([, block = '']) => block).find((block) => block.includes(text))
  if (found === undefined) throw new Error(`${page} has no block with '${text}'.`)
  return found
}

/** Creates what ships, by the command of its page, and returns the output of pnpm. `name` is the last part of the page's path. */
export async function deployPackage(page: string, name: string, folder: string): Promise<string> {
  const [command = ''] = blockOfPage(page, ' deploy ').match(/^npx .*$/m) ?? []
  const script = command.replace(`/tmp/${name}'`, `${folder}'`)
  if (script === command) throw new Error(`The command of ${page} does not create /tmp/${name}: ${command}`)
  const { code, stdout, stderr } = await runToEnd('sh', ['-ec', script], { cwd: repository, timeout: 300_000 })
  if (code !== 0) throw new Error(`${script} failed:\n${stdout}\n${stderr}`)
  return stdout + stderr
}

/** Returns the commands of a page that install on a server what `deployPackage` created, which is there in `/srv/deployed`. */
export function installCommands(page: string, name: string): string {
  const text = readFileSync(join(repository, page), 'utf8')
  const [, copy = ''] = new RegExp(`\`(tar -C /tmp -c ${name} \\| ssh root@[A-Z]+ tar [^\`]+)\``).exec(text) ?? []
  const local = copy.replace('-C /tmp', '-C /srv/deployed').replace(/ssh root@[A-Z]+ /, '')
  if (copy === '') throw new Error(`${page} has no command that copies /tmp/${name}.`)
  return `${local}\n${blockOfPage(page, `ln -s /opt/${name}/`)}`
}
