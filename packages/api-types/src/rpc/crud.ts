import { z } from 'zod'
import {
  CheckInput,
  Condition,
  conditionOf,
  once,
  OnceInput,
  pageOf,
  read,
  RecordId,
  RecordIds,
  write,
  writeWithoutInput,
} from './procedures.js'
import { listInputOf, listQuery } from './list-input.js'
import type { ResourceRules } from '../rest/index.js'
import { resources } from './resources.js'
import type { Declaration, ResourceName } from './resources.js'
import type { AnyService, WrittenOf } from './services.js'

type ServiceName = ResourceName
interface Identified {
  readonly id: number | string
}

// What a schema makes of a record is only known where the declaration is, so the answers are typed by their schemas.
function readProcedures<R extends z.ZodType, Q extends ResourceRules>(name: ServiceName, record: R, rules: Q) {
  return {
    list: read
      .input(listInputOf(rules))
      .output(pageOf(record))
      .query(async ({ ctx, input }) => (await serviceOf(ctx, name).list(listQuery(input, rules), ctx.caller)) as never),
    get: read
      .input(RecordId)
      .output(record)
      .query(async ({ ctx, input }) => (await serviceOf(ctx, name).get(input.id, ctx.caller)) as never),
    /** With the ETag that `if_match` of a write takes. */
    getWithEtag: read
      .input(RecordId)
      .output(z.object({ record, etag: z.string() }))
      .query(async ({ ctx, input }) => {
        const found = await serviceOf(ctx, name).get(input.id, ctx.caller)
        return { record: found, etag: ctx.etagOf(found, rules) } as never
      }),
    /** In the order asked, without those that do not exist. */
    getMany: read
      .input(RecordIds)
      .output(z.array(record).readonly())
      .query(async ({ ctx, input: { ids } }) => {
        const records = (await serviceOf(ctx, name).getMany([...new Set(ids)], ctx.caller)) as readonly Identified[]
        const found = new Map(records.map((one) => [Number(one.id), one]))
        return ids.flatMap((id) => found.get(id) ?? []) as never
      }),
  }
}

function createProcedure<I extends z.ZodType, W extends z.ZodType>(name: ServiceName, body: I, written: W) {
  return writeWithoutInput
    .input(z.intersection(CheckInput, body))
    .output(written)
    .mutation(async ({ ctx, input }) => (await serviceOf(ctx, name).create(input, ctx.caller)) as never)
}

function createOnceProcedure<I extends z.ZodType, W extends z.ZodType>(
  name: ServiceName,
  body: I,
  written: W,
  secrets: readonly string[] | undefined,
) {
  return writeWithoutInput
    .input(z.intersection(CheckInput, z.intersection(body, OnceInput)))
    .output(written)
    .mutation(
      async ({ ctx, path, input }) =>
        (await once(
          { ctx, path, input },
          (fields, caller) => serviceOf(ctx, name).create(fields, caller),
          secrets,
        )) as never,
    )
}

function changeProcedure<I extends z.ZodType, W extends z.ZodType>(name: ServiceName, body: I, written: W) {
  return write
    .input(RecordId.extend({ change: body, ...Condition.shape }))
    .output(written)
    .mutation(async ({ ctx, input }) => {
      const { id, change, ...rest } = input as { readonly id: number; readonly change: unknown }
      return (await serviceOf(ctx, name).change(id, change, ctx.caller, conditionOf(rest))) as never
    })
}

function removeProcedure(name: ServiceName) {
  return write
    .input(RecordId.extend(Condition.shape))
    .mutation(({ ctx, input }) => serviceOf(ctx, name).remove(input.id, ctx.caller, conditionOf(input)))
}

function serviceOf({ services }: { readonly services: object }, name: ServiceName): AnyService {
  return (services as Readonly<Record<string, AnyService>>)[name] as AnyService
}

/** The procedures of the verbs that a resource has. */
type Procedures<D extends Declaration> = ReturnType<typeof readProcedures<D['record'], D['rules']>> &
  (D extends { readonly create: infer I extends z.ZodType }
    ? {
        create: D extends { readonly showsSecretOnce: true }
          ? ReturnType<typeof createProcedure<I, WrittenOf<D>>>
          : ReturnType<typeof createOnceProcedure<I, WrittenOf<D>>>
      }
    : unknown) &
  (D extends { readonly change: infer I extends z.ZodType }
    ? { change: ReturnType<typeof changeProcedure<I, WrittenOf<D>>> }
    : unknown) &
  (D extends { readonly remove: true } ? { remove: ReturnType<typeof removeProcedure> } : unknown)

function proceduresOf(name: ServiceName, declaration: Declaration): object {
  const { record, rules, create, change, remove, written = record, secrets } = declaration
  const made = declaration.showsSecretOnce === true ? createProcedure : createOnceProcedure
  return {
    ...readProcedures(name, record, rules),
    ...(create === undefined ? {} : { create: made(name, create, written, secrets) }),
    ...(change === undefined ? {} : { change: changeProcedure(name, change, written) }),
    ...(remove === undefined ? {} : { remove: removeProcedure(name) }),
  }
}

type CrudProcedures = { readonly [N in ResourceName]: Procedures<(typeof resources)[N]> }

/** The procedures of every resource; `router.ts` adds those that only one resource has. */
export const crud = Object.fromEntries(
  Object.entries(resources).map(([name, declaration]) => [name, proceduresOf(name as ServiceName, declaration)]),
) as unknown as CrudProcedures
