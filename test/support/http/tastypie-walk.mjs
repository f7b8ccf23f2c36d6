// Run in a process of its own, since only there the client learns of our authority (NODE_EXTRA_CA_CERTS):
//   node tastypie-walk.mjs <url> <user> <key>
// Prints as JSON what the client saw of /api/v1/nodes/.
import { Tastypie } from 'ts-resource-tastypie'

const [url, username, apikey] = process.argv.slice(2)
Tastypie.Provider.add(new Tastypie.Provider({ name: 'roost', url: `${url}/api/v1`, username, apikey }))
const nodes = new Tastypie.Resource('nodes')

const page = await nodes.objects.find({ limit: 4 })
const pages = [page.objects.map(({ id }) => id)]
const { total_count: total } = page.meta
while (page.meta.next) {
  await page.next()
  pages.push(page.objects.map(({ id }) => id))
}
await page.previous()
const previous = page.objects.map(({ id }) => id)
await page.first()
const first = page.objects.map(({ id }) => id)
const one = await nodes.objects.get(first[0])
const filtered = await nodes.objects.find({ hostname: one.hostname })
const changed = await nodes.objects.update(one.id, { enabled: false })
const unknown = await nodes.objects.get(9_999_999).catch((error) => String(error))

const seen = { total, pages, previous, first, one, filtered: filtered.objects, changed, unknown }
process.stdout.write(`${JSON.stringify(seen)}\n`)
