import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'
import { addProxy, halfHourMs, storageOf, usageMessage } from '../support/database/usage-rows.js'

const shared = shareApi({ ROOST_USAGE_RETENTION_DAYS: '36500' })
const begin = Date.parse('2020-01-01T00:00:00Z')
const day = 'start=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00Z'
/** The day of the many accounts. */
const otherDay = 'start=2021-01-01T00:00:00Z&end=2021-01-02T00:00:00Z'
/** What a spreadsheet, or a careless reader of CSV, would stumble over. */
const awkward = ['=cmd|calc', '+1', '-1', '@sum', '\ttab', 'a,b', 'say "x"', 'two\nlines', 'AUTH_plain', '.system', 'ü']
let base: string
let clusterId: number

beforeAll(async () => {
  const { api } = shared
  clusterId = await addCluster(api.database)
  base = `/api/v1/clusters/${clusterId}/utilization`
  const node = await addProxy(api.database, clusterId)
  const { intake } = api.context.utilization
  await intake.accept(node, usageMessage(begin, { storage: awkward.map((account, i) => storageOf(account, i)) }))
  for (let hour = 1; hour < 30; hour++)
    await intake.accept(node, usageMessage(begin + hour * 2 * halfHourMs, { storage: [storageOf('AUTH_plain', hour)] }))
  const user = { clusterId, password: new Uint8Array(1), isSuperuser: false, enabled: true }
  const inKeystone = { name: 'eve', nameKey: 'eve', lineKey: 'eve', projectId: 'plain', login: 'eve' }
  const inTempauth = { name: 'many_1', nameKey: 'many_1', lineKey: 'many_1' }
  await api.database.prisma.user.createMany({ data: [inKeystone, inTempauth].map((names) => ({ ...user, ...names })) })
  await api.database.pool.query(
    `with accounts as (
       insert into usage_accounts (cluster_id, name) select $1, 'AUTH_many_' || i from generate_series(1, 2500) i returning id)
     insert into storage_usage (account_id, policy_index, half_hour, slots, bytes_used, containers, objects)
     select id, 1, $2, 7, 5, 1, 1 from accounts`,
    [clusterId, Date.parse('2021-01-01T00:00:00Z') / halfHourMs],
  )
})

async function csv(path: string) {
  const { url, ca, key } = shared.api
  const dispatcher = new Agent({ connect: { ca } })
  const answer = await request(`${url}${base}/${path}`, { dispatcher, headers: { authorization: `apikey ${key}` } })
  const text = await answer.body.text()
  await dispatcher.close()
  const { 'content-type': type, 'x-request-id': requestId } = answer.headers
  return { status: answer.statusCode, type, requestId, text, lines: text.split('\r\n') }
}

it('has a header line, and a quote before what a spreadsheet would take for a formula', async () => {
  const { status, type, requestId, text } = await csv(`storage/0/?${day}&format=csv`)
  expect([status, type, requestId]).toEqual([200, 'text/csv; charset=utf-8; header=present', expect.any(String)])
  expect(text).toBe(await readFile(join(import.meta.dirname, 'golden/usage-of-accounts.csv'), 'utf8'))
})

it('names the user of an account that is a project of Keystone, as JSON does', async () => {
  const { body } = await shared.get(`${base}/storage/0/?${day}`)
  const named = body.objects.filter((row: object) => 'account_name' in row)
  expect(named).toMatchObject([{ account: 'AUTH_plain', account_name: 'eve' }])
})

it('names the user of an account in tempauth, unless the users of the cluster are in Keystone', async () => {
  const ask = async () => (await shared.get(`${base}/storage/1/?${otherDay}&limit=1`)).body.objects[0]
  expect(await ask()).toMatchObject({ account: 'AUTH_many_1', account_name: 'many_1' })
  const login = { authUrl: 'https://keystone.example:5000/v3', user: 'admin', key: new Uint8Array(1) }
  const roles = { domain: 'roost', role: 'member', resellerRole: 'ResellerAdmin' }
  await shared.api.database.prisma.identityService.create({ data: { clusterId, ...login, ...roles } })
  onTestFinished(async () => void (await shared.api.database.prisma.identityService.delete({ where: { clusterId } })))
  expect(await ask()).not.toHaveProperty('account_name')
})

it('has a row for each step of each series, with empty cells where nothing was reported', async () => {
  const range = 'start=2019-12-31T00:00:00Z&end=2020-01-02T00:00:00Z'
  const { status, lines } = await csv(`series/?${range}&group=account&top=50&format=csv`)
  expect([status, lines[0]]).toEqual([
    200,
    'start,end,policy_idx,account,account_name,is_other,pct_complete,bytes_used,bytes_in,bytes_out,req_count',
  ])
  expect(lines).toContain(`2019-12-31 00:00:00Z,2020-01-01 00:00:00Z,,"'=cmd|calc",,false,0,,,,`)
  expect(lines.filter((line) => line.includes(',AUTH_plain,'))).toEqual([
    '2019-12-31 00:00:00Z,2020-01-01 00:00:00Z,,AUTH_plain,eve,false,0,,,,',
    '2020-01-01 00:00:00Z,2020-01-02 00:00:00Z,,AUTH_plain,eve,false,50,23,,,',
  ])
})

it('has the rows of the same question as JSON, all of them', async () => {
  const path = `storage/0/AUTH_plain/detail/?start=2020-01-01&end=2020-01-03`
  const { body } = await shared.get(`${base}/${path}&limit=1000`)
  const { lines } = await csv(`${path}&format=csv`)
  expect(lines[0]).toBe('start,end,pct_complete,bytes_used,container_count,object_count,verified')
  expect(lines.slice(1, -1)).toEqual(body.objects.map((row: object) => Object.values(row).join()))
  expect(lines).toHaveLength(32)
})

it('streams more rows than a page holds, each once, in order', async () => {
  const { lines } = await csv(`storage/1/?${otherDay}&format=csv`)
  const accounts = lines.slice(1, -1).map((line) => line.split(',')[0])
  expect(accounts).toEqual(Array.from({ length: 2500 }, (_, i) => `AUTH_many_${i + 1}`).toSorted())
})

it('holds one page where limit or offset is given', async () => {
  expect((await csv(`storage/1/?${otherDay}&format=csv&limit=3&offset=1`)).lines).toHaveLength(5)
})

it('of nothing is the header alone', async () => {
  expect((await csv(`transfer/AUTH_no/?${day}&format=csv`)).text).toBe(
    'start,end,pct_complete,bytes_in,bytes_out,req_count\r\n',
  )
  expect((await csv(`storage/0/total/?start=2001-01-01&end=2001-01-02&format=csv`)).lines).toHaveLength(2)
})

it('of a faulty question is refused as JSON', async () => {
  expect(await csv('transfer/?format=csv')).toMatchObject({ status: 400, type: 'application/json; charset=utf-8' })
})
