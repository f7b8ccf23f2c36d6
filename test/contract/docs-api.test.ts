import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { runToEnd } from '../support/programs/processes.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()

it('every line of docs/api.md works as it stands, in a shell with curl alone', async ({ skip }) => {
  if ((await runToEnd('curl', ['--version'])).code !== 0) skip('needs the package curl')
  const { api } = server
  await addNode(api.database, await addCluster(api.database))
  // The typed example needs a package and a compiler: it has a section of its own.
  const [text = ''] = (await readFile(join(repository, 'docs/api.md'), 'utf8')).split('\n## Typed')
  const [setUp = '', ...examples] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  const lines = examples.flatMap((block) => block.trimEnd().split('\n'))
  const firstPatch = lines.findIndex((line) => line.includes('-X PATCH'))
  expect(lines.length).toBeGreaterThan(15)
  // The port of this test, and curl's own word on success.
  const here = setUp
    .replace('https://localhost:8443', `https://localhost:${new URL(api.url).port}`)
    .replace('curl -sS', 'curl -sS --fail-with-body')
  const checked = lines.map((line) => `${line} || { echo; echo 'failed: '${quoted(line)}; exit 1; }`)
  const shown = `echo; echo "after the first PATCH: $(api "$roost/api/v1/nodes/1/")"`
  checked.splice(firstPatch + 1, 0, shown)
  const { PATH = '' } = process.env
  const env = { PATH, HOME: '/', ROOST_DATA_DIR: api.controlPlane.dataDir }
  const ended = await runToEnd('sh', ['-c', [here, ...checked].join('\n')], { env })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  // A reader tries it on a node that is in use.
  const [, node = ''] = /^after the first PATCH: (.*)$/m.exec(ended.stdout) ?? []
  expect(JSON.parse(node)).toMatchObject({ id: 1, enabled: true })
})

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
