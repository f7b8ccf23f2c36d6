import type { OperatorFeature } from './feature.js'
import { localCaller } from './local-caller.js'

export const adminName = 'admin'

/** Lets the host's own administrator in again: the operator `admin`, made or enabled, with a new key beside what it has. */
export async function resetAdmin({ operators, apiKeys }: OperatorFeature['access']): Promise<string> {
  const caller = localCaller('local reset-admin')
  const filters = [{ field: 'name', values: [adminName] }]
  const [found] = (await operators.list({ filters, order: [], limit: 1, offset: 0 })).objects
  const admin =
    found === undefined
      ? await operators.create({ name: adminName, role: 'admin' }, caller)
      : await operators.change(found.id, { role: 'admin', enabled: true }, caller)
  return (await apiKeys.create({ operator: admin.id, label: 'local reset-admin' }, caller)).credentials
}
