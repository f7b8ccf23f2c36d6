/** A sentence with `{parameters}`, or its forms by `{count}` as `Intl.PluralRules` names them. */
export type Message = string | { readonly one: string; readonly other: string }

/** The parameters of a sentence: `'{count} of {total}'` has `count` and `total`. */
type ParametersIn<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | ParametersIn<Rest> : never

/** The parameters of a message, which every form has in common. */
export type ParametersOf<M> = M extends { readonly other: infer S } ? ParametersIn<S> | 'count' : ParametersIn<M>

/** Returns the sentence with its parameters. `count` chooses the form, and is written as `format` writes numbers. */
export function fill(
  message: Message,
  parameters: Readonly<Record<string, string | number>>,
  { plural, format }: { readonly plural: Intl.PluralRules; readonly format: (value: number) => string },
): string {
  const form = typeof message === 'string' ? message : message[formOf(parameters['count'], plural)]
  return form.replaceAll(/\{(\w+)\}/g, (text, name: string) => {
    const value = parameters[name]
    if (value === undefined) return text
    return typeof value === 'number' ? format(value) : value
  })
}

function formOf(count: string | number | undefined, plural: Intl.PluralRules): 'one' | 'other' {
  return plural.select(Number(count ?? 0)) === 'one' ? 'one' : 'other'
}
