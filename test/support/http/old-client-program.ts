import { Tastypie } from 'ts-resource-tastypie'
import type { OldCall } from './old-client.js'

/** Runs the calls of its argument one after the other, and prints their results as the last line. */
const { url, user, key, calls } = JSON.parse(process.argv[2] ?? '') as {
  readonly url: string
  readonly user: string
  readonly key: string
  readonly calls: readonly OldCall[]
}
Tastypie.Provider.add(new Tastypie.Provider({ name: 'roost', url: `${url}/api/v1`, username: user, apikey: key }))

const results: unknown[] = []
for (const call of calls) results.push(await run(call))
console.log(JSON.stringify(results))

async function run({ resource, verb, id = 0, data = {} }: OldCall): Promise<unknown> {
  const { objects } = new Tastypie.Resource<object>(resource)
  if (verb === 'create') return objects.create(data)
  if (verb === 'get') return objects.get(id)
  if (verb === 'update') return objects.update(id, data)
  if (verb === 'delete') return objects.delete(id)
  let page = await objects.find(data)
  const seen = [...page.objects]
  while (page.meta.next) {
    page = await page.next()
    seen.push(...page.objects)
  }
  return seen
}
