import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openApiContract } from '../support/http/openapi-contract.js'
import { repository } from '../support/http/control-plane.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()

/** What the console calls for each operation, as its sources have it, by the method and path below /api/v1/. */
const calls: Readonly<Record<string, string>> = {
  'GET search/': 'rpc.search.query',
  'GET clusters/': 'rpc.clusters.list.query',
  'GET clusters/{id}/summary/': 'rpc.clusters.summary.query',
  'GET clusters/{id}/capacity/list/': 'rpc.clusters.capacity.query',
  'GET clusters/{id}/capacity/forecast/': 'rpc.clusters.forecast.query',
  'GET clusters/{id}/capacity/history/': 'rpc.clusters.capacityHistory.query',
  'GET clusters/{id}/capacity/fullness/': 'rpc.capacity.fullness.query',
  'GET clusters/{id}/health/': 'rpc.clusters.health.query',
  'GET clusters/{id}/pending/': 'rpc.gatewayShares.pending.query',
  'GET clusters/{id}/capacity/explain/': 'rpc.clusters.explain[of].query',
  'GET clusters/{id}/capacity/forecast/explain/': 'rpc.clusters.explain[of].query',
  'GET clusters/{id}/health/explain/': 'rpc.clusters.explain[of].query',
  'GET clusters/{id}/metrics/explain/': 'rpc.clusters.explain.metrics.query',
  'GET clusters/{id}/metrics/list/': 'namesOfCluster',
  'GET clusters/{id}/metrics/poll/': 'pollCluster',
  'GET clusters/{id}/metrics/history/': 'historyOfCluster',
  'GET clusters/{id}/identity/': 'rpc.clusters.identity.query',
  'POST clusters/{id}/identity/': 'rpc.clusters.setIdentity.mutate',
  'DELETE clusters/{id}/identity/': 'rpc.clusters.unsetIdentity.mutate',
  'GET clusters/{id}/containers/': 'rpc.containers.list.query',
  'GET clusters/{id}/storage/': 'rpc.clusters.storage.query',
  'POST clusters/{id}/storage/': 'rpc.clusters.setStorage.mutate',
  'DELETE clusters/{id}/storage/': 'rpc.clusters.unsetStorage.mutate',
  'GET clusters/{id}/adoptable_users/': 'rpc.users.adoptable.query',
  'POST clusters/{id}/adoptable_users/': 'rpc.users.adopt.mutate',
  'GET nodes/': 'rpc.nodes.list.query',
  'GET nodes/facets/': 'rpc.nodes.facets.query',
  'GET nodes/{id}/': 'rpc.nodes.get.query',
  'GET nodes/set/{ids}/': 'rpc.nodes.getMany.query',
  'PATCH nodes/{id}/': 'rpc.nodes.change.mutate',
  'GET nodes/{id}/hardware/': 'rpc.nodes.hardware.query',
  'GET nodes/{id}/metrics/list/': 'namesOfNode',
  'GET nodes/{id}/metrics/poll/': 'pollNode',
  'GET nodes/{id}/metrics/history/': 'historyOfNode',
  'GET drift/': 'rpc.drift.list.query',
  'GET nodes/{id}/drift/': 'rpc.drift.get.query',
  'POST nodes/{id}/drift/': 'rpc.drift.resolve.mutate',
  'GET nodes/{id}/generations/': 'rpc.generations.list.query',
  'GET nodes/{id}/generations/diff/': 'rpc.generations.diff.query',
  'GET devices/': 'rpc.devices.list.query',
  'GET devices/facets/': 'rpc.devices.facets.query',
  'DELETE devices/{id}/': 'rpc.devices.remove.mutate',
  'GET storage_policies/': 'rpc.storagePolicies.list.query',
  'GET users/': 'rpc.users.list.query',
  'POST users/': 'rpc.users.create.mutate',
  'GET users/{id}/': 'rpc.users.getWithEtag.query',
  'PATCH users/{id}/': 'rpc.users.change.mutate',
  'DELETE users/{id}/': 'rpc.users.remove.mutate',
  'GET users/{id}/s3_credentials/': 'rpc.users.s3Credentials.query',
  'POST users/{id}/s3_credentials/': 'rpc.users.createS3Credential.mutate',
  'DELETE users/{id}/s3_credentials/{access_key}/': 'rpc.users.removeS3Credential.mutate',
  'GET gateway_shares/': 'rpc.gatewayShares.list.query',
  'POST gateway_shares/': 'rpc.gatewayShares.create.mutate',
  'GET gateway_shares/{id}/': 'rpc.gatewayShares.getWithEtag.query',
  'PATCH gateway_shares/{id}/': 'rpc.gatewayShares.change.mutate',
  'DELETE gateway_shares/{id}/': 'rpc.gatewayShares.remove.mutate',
  'POST gateway_shares/preview/': 'rpc.gatewayShares.preview.mutate',
  'POST gateway_shares/{id}/preview/': 'rpc.gatewayShares.previewChange.mutate',
  'GET gateway_shares/{id}/sessions/': 'rpc.gatewayShares.sessions.query',
  'GET gateway_shares/{id}/uploads/': 'rpc.gatewayShares.uploads.query',
  'GET gateway_deployments/': 'deploymentsOf(kind).list.query',
  'POST gateway_deployments/': 'deploymentsOf(kind).create.mutate',
  'GET gateway_deployments/{id}/': 'deploymentsOf(kind).get.query',
  'POST gateway_deployments/{id}/cancel/': 'deploymentsOf(kind)[verb].mutate',
  'POST gateway_deployments/{id}/confirm/': 'deploymentsOf(kind)[verb].mutate',
  'GET user_db_deployments/': 'deploymentsOf(kind).list.query',
  'POST user_db_deployments/': 'deploymentsOf(kind).create.mutate',
  'GET user_db_deployments/{id}/': 'deploymentsOf(kind).get.query',
  'POST user_db_deployments/{id}/cancel/': 'deploymentsOf(kind)[verb].mutate',
  'POST user_db_deployments/{id}/confirm/': 'deploymentsOf(kind)[verb].mutate',
  'GET agent_upgrades/': 'rpc.agentUpgrades.list.query',
  'POST agent_upgrades/': 'rpc.agentUpgrades.create.mutate',
  'GET agent_upgrades/{id}/': 'rpc.agentUpgrades.get.query',
  'POST agent_upgrades/{id}/cancel/': 'rpc.agentUpgrades.cancel.mutate',
  'GET alerts/': 'rpc.alerts.list.query',
  'GET alerts/{id}/': 'rpc.alerts.get.query',
  'PATCH alerts/{id}/': 'rpc.alerts.change.mutate',
  'GET alert_silences/': 'rpc.alertSilences.list.query',
  'POST alert_silences/': 'rpc.alertSilences.create.mutate',
  'PATCH alert_silences/{id}/': 'rpc.alertSilences.change.mutate',
  'DELETE alert_silences/{id}/': 'rpc.alertSilences.remove.mutate',
  'GET alert_rules/': 'rpc.alertRules.list.query',
  'POST alert_rules/': 'rpc.alertRules.create.mutate',
  'PATCH alert_rules/{id}/': 'rpc.alertRules.change.mutate',
  'DELETE alert_rules/{id}/': 'rpc.alertRules.remove.mutate',
  'GET alert_metric_rules/': 'rpc.alertMetricRules.list.query',
  'POST alert_metric_rules/': 'rpc.alertMetricRules.create.mutate',
  'PATCH alert_metric_rules/{id}/': 'rpc.alertMetricRules.change.mutate',
  'DELETE alert_metric_rules/{id}/': 'rpc.alertMetricRules.remove.mutate',
  'GET alert_receivers/': 'rpc.alertReceivers.list.query',
  'POST alert_receivers/': 'rpc.alertReceivers.create.mutate',
  'PATCH alert_receivers/{id}/': 'rpc.alertReceivers.change.mutate',
  'DELETE alert_receivers/{id}/': 'rpc.alertReceivers.remove.mutate',
  'POST alert_receivers/{id}/test/': 'rpc.alertReceivers.test.mutate',
  'GET alert_deliveries/': 'rpc.alertDeliveries.list.query',
  'GET alert_deliveries/{id}/': 'rpc.alertDeliveries.get.query',
  'GET sessions/': 'rpc.sessions.list.query',
  'DELETE sessions/{id}/': 'rpc.sessions.remove.mutate',
  'GET views/': 'rpc.views.list.query',
  'POST views/': 'rpc.views.create.mutate',
  'PATCH views/{id}/': 'rpc.views.change.mutate',
  'DELETE views/{id}/': 'rpc.views.remove.mutate',
  'PATCH preferences/': 'rpc.preferences.set.mutate',
  'GET audit_events/': 'rpc.auditEvents.list.query',
  'GET audit_events/{id}/': 'rpc.auditEvents.get.query',
  'GET system/': 'rpc.system.query',
  'GET events/': 'rpc.events.watch.subscribe',
  'GET clusters/{id}/utilization/series/': 'rpc.utilization.series.query',
  'GET clusters/{id}/utilization/storage/{policy_idx}/': 'rpc.utilization.storage.ofAccounts.query',
  'GET clusters/{id}/utilization/storage/{policy_idx}/total/': 'rpc.utilization.storage.total.query',
  'GET clusters/{id}/utilization/storage/{policy_idx}/{account}/detail/': 'rpc.utilization.storage.detail.query',
  'GET clusters/{id}/utilization/transfer/': 'rpc.utilization.transfer.ofAccounts.query',
  'GET clusters/{id}/utilization/transfer/total/': 'rpc.utilization.transfer.total.query',
  'GET clusters/{id}/utilization/transfer/{account}/detail/': 'rpc.utilization.transfer.detail.query',
}

/** Operations that the console has in another form. */
const elsewhere: readonly (readonly [operations: RegExp, where: string])[] = [
  [/^GET \w+\/schema\/$/, 'describes the fields for programs'],
  [/^GET \w+\/set\/\{ids\}\/$/, 'reads several records for programs; lists have filters'],
  [/^GET preferences\/$/, 'the session has them'],
  [/^GET node_roles\//, 'nodes have their roles'],
  [
    /^GET (clusters|devices|storage_policies|sessions|views|alert_silences|alert_receivers|alert_rules|alert_metric_rules)\/\{id\}\/$/,
    'lists have all fields',
  ],
  [/^GET .*\/utilization\/.*\/\{account\}\/$/, 'the hours of an account and the list of accounts have its sum'],
  [/^PATCH nodes\/$/, 'changes several nodes at once for programs'],
  [/^PATCH node\/\{id\}\/?$/, 'is an alias of PATCH nodes/{id}/'],
]

/** Operations that the console does not have: each is part of a row of docs/console.md, which begins like this. */
const missing: readonly (readonly [operations: RegExp, row: string])[] = [
  [/^GET clusters\/\{id\}\/metrics\/across\/(history\/)?$/, 'metrics of all nodes of a cluster at once'],
  [/^GET nodes\/metrics\/sparklines\/$/, 'metrics of all nodes of a cluster at once'],
  [/^POST gateway_shares\/\{id\}\/uploads\/$/, 'remove what renames have left behind'],
]

async function operations(): Promise<readonly string[]> {
  const { document } = await openApiContract(server.api.controlPlane)
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/') && path !== '/api/v1/')
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/api/v1/'.length)}`),
    )
}

it('the console has a call for each operation, or a reason why not', async () => {
  const all = await operations()
  const explained = [...elsewhere, ...missing]
  const unknown = all.filter((each) => calls[each] === undefined && !explained.some(([pattern]) => pattern.test(each)))
  expect(unknown).toEqual([])
  expect(Object.keys(calls).filter((each) => !all.includes(each))).toEqual([])
  expect(explained.filter(([pattern]) => !all.some((each) => pattern.test(each)))).toEqual([])
  expect(missing.filter(([pattern]) => Object.keys(calls).some((each) => pattern.test(each)))).toEqual([])
})

it('its sources contain these calls', () => {
  const folder = join(repository, 'apps/console/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
  )
  const source = files
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
    .replaceAll(/typeof rpc[\w.]+/g, '')
    .replaceAll(/\s+\./g, '.')
  expect(Object.values(calls).filter((call) => !source.includes(call))).toEqual([])
})

it('docs/console.md names what it does not have, and why', () => {
  const page = readFileSync(join(repository, 'docs/console.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  const lacking = missing.filter(([, begin]) => !rows.some((line) => line.startsWith(`| ${begin}`)))
  expect(lacking.map(([, begin]) => begin)).toEqual([])
})
