import type { FilterOf, FilterValue, OrderOf, ResourceRules } from '@roost/api-types/rest'
import type { Declaration } from '@roost/api-types/rpc'
import type { Prisma, PrismaClient } from '@roost/database'
import type { z } from 'zod'

export type Model = Prisma.ModelName
type Operations<M extends Model> = Prisma.TypeMap['model'][M]['operations']
type Scalar<M extends Model> = Extract<keyof Prisma.TypeMap['model'][M]['payload']['scalars'], string>

export type Where<M extends Model> = NonNullable<Operations<M>['findMany']['args']['where']>
/** A row of the model with what `select`, `include` or `omit` name. */
export type RowOf<M extends Model, A> = Prisma.Result<PrismaClient[Uncapitalize<M>], A, 'findFirstOrThrow'>

/** The field in the case of a column: `size_bytes` is `sizeBytes`. */
type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S

/** The fields whose name is not that of a column, nor of the column of a relation. */
type WithoutColumn<F extends string, M extends Model> = F extends `${string}__${string}` | 'resource_uri'
  ? never
  : Camel<F> extends Scalar<M>
    ? never
    : `${Camel<F>}Id` extends Scalar<M>
      ? never
      : F

/** Conditions of filters that are not the comparison of a column. */
export type Conditions<R extends ResourceRules, M extends Model> = {
  readonly [F in FilterOf<R>]?: (values: FilterValue<R, F>[]) => Where<M>
}

type OrderBy<M extends Model> = NonNullable<Operations<M>['findMany']['args']['orderBy']>

/** Orders by what is not a column, such as a column of a relation. */
export type Orders<R extends ResourceRules, M extends Model> = {
  readonly [F in OrderOf<R>]?: (direction: 'asc' | 'desc') => OrderBy<M>
}

type KeyOf<T> = Extract<keyof T, string>
type FieldsOf<S> = S extends z.ZodType ? KeyOf<z.output<S>> : never
type BodyFields<D extends Declaration> = FieldsOf<D['create']> | FieldsOf<D['change']>

/** Each filter and order of the rules that no column has by its name needs its column here: a forgotten one does not compile. */
export type NamedColumns<R extends ResourceRules, M extends Model, C> = {
  readonly [F in WithoutColumn<Exclude<FilterOf<R> | OrderOf<R>, keyof C>, M>]: Scalar<M>
}

/** The columns of named fields, filters and orders: a name that the model does not have does not compile. */
export type KnownColumns<D extends Declaration, M extends Model, K> = {
  readonly [F in keyof K]: F extends FieldsOf<D['record']> | BodyFields<D> | FilterOf<D['rules']> | OrderOf<D['rules']>
    ? Scalar<M>
    : never
}

/** Fields of the record and of the bodies that only a function can make or store. */
export type Underived<D extends Declaration, M extends Model, K> = Exclude<
  WithoutColumn<FieldsOf<D['record']> | BodyFields<D>, M>,
  keyof K
>
