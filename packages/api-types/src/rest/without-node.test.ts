import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Leaves a process with what a browser has, and refuses the modules of Node to what is imported afterwards. */
const browser = `
  import { register } from 'node:module'
  const hook = 'export const resolve = async (name, context, next) => {' +
    ' const found = await next(name, context);' +
    ' if (found.url.startsWith("node:")) throw new Error(name + " is not in a browser");' +
    ' return found }'
  register('data:text/javascript,' + encodeURIComponent(hook))
  for (const name of ['Buffer', 'process', 'global', 'setImmediate', 'clearImmediate']) delete globalThis[name]
`

/** Imports the entry for REST there, and reads the body of a share whose container has these characters. */
const program = (entry: string) => `${browser}
  const rest = await import(${JSON.stringify(entry)})
  const container = (name) => rest.ContainerName.safeParse(name).success
  console.log(JSON.stringify([container('é'.repeat(128)), container('é'.repeat(129)), Object.keys(rest).length]))
`

it('/rest can be imported and used in a browser', async () => {
  const entry = import.meta.resolve('@roost/api-types/rest')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(entry)])
  const [fits, exceeds, names] = JSON.parse(stdout) as [boolean, boolean, number]
  expect([fits, exceeds]).toEqual([true, false])
  expect(names).toBeGreaterThan(50)
})

it('/browser can be imported in a browser, and makes a client', async () => {
  const entry = import.meta.resolve('@roost/api-types/browser')
  const code = `${browser}
    const { createBrowserClient } = await import(${JSON.stringify(entry)})
    console.log(typeof createBrowserClient({ url: '/trpc' }).nodes.list.query)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  expect(stdout.trim()).toBe('function')
})
