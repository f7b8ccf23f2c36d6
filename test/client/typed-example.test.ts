import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { shareApi } from '../support/http/shared-api.js'
import { runToEnd } from '../support/programs/processes.js'

const server = shareApi()

/** The blocks of the section, in their order. */
async function blocksOf(language: 'sh' | 'ts'): Promise<readonly string[]> {
  const text = await readFile(join(repository, 'docs/api.md'), 'utf8')
  const [section = ''] = /## Typed\n[^]*?(?=\n## |$)/.exec(text) ?? []
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, block = '']) => block)
}

it(
  'the typed example of docs/api.md runs by the lines that are printed there',
  { timeout: 600_000 },
  async ({ skip }) => {
    const folder = await mkdtemp(join(tmpdir(), 'roost-typed-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [install = '', run = ''] = await blocksOf('sh')
    const [program = ''] = await blocksOf('ts')
    const { url, controlPlane } = server.api
    const env = { PATH: process.env['PATH'] ?? '', HOME: homedir() }
    // Only where things are differs from the page.
    const lines = install.replaceAll('/tmp', folder).replace('mkdir example', `mkdir ${folder}/example`)
    const script = lines.replace('cd example', `cd ${folder}/example`)
    const installed = await runToEnd('bash', ['-ec', script], { cwd: repository, env, timeout: 400_000 })
    if (/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/.test(installed.stderr)) skip('npm reaches no registry')
    expect(installed).toMatchObject({ code: 0 })
    const example = join(folder, 'example')
    await writeFile(join(example, 'example.ts'), program)
    const local = run.replace('https://localhost:8443', url).replace('~/.local/share/roost', controlPlane.dataDir)
    const { code, stdout, stderr } = await runToEnd('bash', ['-ec', local], { cwd: example, env, timeout: 180_000 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\d+ nodes are online; .*\nBAD_REQUEST .*\n[^]*COMPLETED_FAILED The cluster has no nodes/)
  },
)
