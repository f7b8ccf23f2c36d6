import { examplesOf, idOfRelation, resourceUri, ResourceUri, RoostError } from '@roost/api-types/rest'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { objectBody } from '../guards/body.js'
import { parseChange } from './change-body.js'
import type { ChangeReader } from './change-body.js'
import { fieldError, parseFields } from '../../services/field-errors.js'
import { messages } from '../../services/messages.js'
import { fieldsOf } from './fields.js'
import { HttpError } from '../guards/http-error.js'
import type { Dialect } from './dialect.js'
import { localise } from './relations.js'
import type { LocalPath } from './relations.js'
import type { Resource } from './resource.js'
import { mountRoute } from './route.js'

type Body = Readonly<Record<string, unknown>>

interface Element {
  readonly id: number
  readonly body: Body
  /** The ETag that the caller saw. */
  readonly ifMatch?: string
}

const maxObjects = 1000
const Named = z.object({
  resource_uri: ResourceUri,
  etag: z.string().optional().describe('The ETag that the record must still have'),
})
const Objects = z.object({ objects: z.array(z.unknown()).max(maxObjects) })

/** `PATCH` on the list: `{"objects": [{"resource_uri": …, …}, …]}`, all or nothing, in the order given. */
export function mountChangeMany(app: FastifyInstance, resource: Resource, { origins }: Dialect): void {
  const { name, record, rules, reads, change, changeMany } = resource
  if (change === undefined || changeMany === undefined) return
  const input = fieldsOf(change.body, 'input')
  const named = (example: unknown) => ({ resource_uri: resourceUri(name, 7), ...Object(example) })
  const { answer = record } = change
  const reader = { schema: change.body, record: fieldsOf(record, 'output'), input, rules }
  mountRoute(app, {
    method: 'PATCH',
    path: `${name}/`,
    resource: name,
    summary: `Change several records of ${name}: all of them or none`,
    body: z
      .object({ objects: z.array(z.intersection(Named, change.body)).max(maxObjects) })
      .meta({ examples: [{ objects: examplesOf(change.body).map(named) }] }),
    status: 202,
    answer: z.object({ objects: z.array(answer) }).meta({ examples: [{ objects: examplesOf(answer) }] }),
    refusals: [405],
    async handle({ body, caller, headers, origin }) {
      if (headers['if-match'] !== undefined) throw new RoostError('invalid', messages.etagInElements)
      const localPath: LocalPath = (text) => origins.pathOf(text, origin)
      const elements = elementsOf(name, objectsOf(objectBody(body)), localPath)
      const present = new Map((await reads.getMany(elements.map(({ id }) => id))).map((one) => [Number(one.id), one]))
      const changes = []
      for (const { id, body: sent, ...options } of elements) {
        const now = present.get(id)
        if (now === undefined) throw unknown(name, id)
        const local = localise(localise(sent, reader.record, localPath), input, localPath)
        changes.push({ id, change: await parseElement(reader, name, id, local, now), ...options })
      }
      return { objects: await changeMany(changes, caller) }
    },
  })
}

function objectsOf(body: Body): readonly unknown[] {
  const { objects, deleted_objects: deleted } = body
  if (deleted !== undefined && !(Array.isArray(deleted) && deleted.length === 0))
    throw new HttpError(405, messages.cannotRemove, { allow: 'GET, HEAD, PATCH' })
  if (objects === undefined) throw new RoostError('invalid', "Invalid data sent: missing 'objects'")
  return parseFields(Objects, { objects }).objects
}

function elementsOf(resource: string, objects: readonly unknown[], localPath: LocalPath): readonly Element[] {
  const seen = new Set<number>()
  return objects.map((object, index) => {
    const body = objectBody(object)
    const named = body['resource_uri'] ?? body['id']
    const id = idOfRelation(resource, typeof named === 'string' ? localPath(named) : named)
    if (id === undefined) throw fieldError({ objects: [`Element ${index}: 'resource_uri' is missing or not valid.`] })
    if (seen.has(id)) throw fieldError({ objects: [`Element ${index}: ${resourceUri(resource, id)} appears twice.`] })
    seen.add(id)
    return { id, body, ...ifMatchOf(body, index) }
  })
}

function ifMatchOf({ etag }: Body, index: number): Pick<Element, 'ifMatch'> {
  if (etag === undefined) return {}
  if (typeof etag !== 'string') throw fieldError({ objects: [`Element ${index}: 'etag' must be a string.`] })
  return { ifMatch: etag }
}

function unknown(resource: string, id: number): RoostError {
  const uri = resourceUri(resource, id)
  return fieldError({ objects: [`Could not find the provided ${resource} object via resource URI '${uri}'.`] })
}

/** The faults of an element name the record that they are in. */
async function parseElement<P>(
  reader: ChangeReader<P>,
  resource: string,
  id: number,
  body: Body,
  now: object,
): Promise<P> {
  try {
    return await parseChange(reader, body, async () => now)
  } catch (error) {
    if (!(error instanceof RoostError)) throw error
    throw fieldError({ objects: [`${resourceUri(resource, id)} ${error.message}`] })
  }
}
