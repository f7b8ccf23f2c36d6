import { expect, it, onTestFinished } from 'vitest'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()

it('a deployment that needs a password which cannot be decrypted fails with the reason, and works once the password is set again', async () => {
  const { controlPlane, database } = server.api
  const cluster = await addCluster(database)
  const node = await addLabNode(controlPlane, database, cluster, { runsProxy: true })
  onTestFinished(() => node.remove())
  await node.start()
  const password = 'correct-horse-battery-staple'
  const { body: bob } = await server.post('/api/v1/users/', { cluster, user: 'bob', password })
  const sealed = Uint8Array.from([1, 0xde, 0xad, 0xbe, 0xef, ...Array.from({ length: 60 }, () => 0)])
  await database.prisma.user.update({ where: { id: Number(bob.id) }, data: { password: sealed } })
  const deploy = async (more: object = {}) =>
    waitForJob(server.get, (await server.post('/api/v1/user_db_deployments/', { cluster, ...more })).body)
  for (const dry_run of [false, true])
    expect(await deploy({ dry_run })).toMatchObject({
      state: 'COMPLETED_FAILED',
      message:
        "The stored password of the user 'bob' was encrypted with key deadbeef, which is not in secrets.key. Restore that file, or set this password again.",
    })
  await server.patch(bob.resource_uri, { password })
  expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
})
