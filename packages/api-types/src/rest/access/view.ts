import { z } from 'zod'
import { boundedText } from '../../values/text.js'
import { byId } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { ResourceUri } from '../dialect/uri.js'

const example = {
  id: 3,
  resource_uri: '/api/v1/views/3/',
  operator: 1,
  name: 'Gateways that are offline',
  address: '/nodes?state=offline&runs_gateway=true',
}

/** A screen of the console as an operator has saved it. */
export const View = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    operator: z.int().meta({ description: 'Id of the operator, who alone sees it' }),
    name: z.string(),
    address: z.string().meta({ description: 'Path and query below the address of the console' }),
  })
  .meta({ id: 'View', examples: [example] })
export type View = z.infer<typeof View>

export const ViewInput = z
  .object({
    name: boundedText(64).regex(
      /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u,
      'Use 1 to 64 characters, without a blank at either end.',
    ),
    address: boundedText(2048).regex(
      /^\/(?:[a-z][a-z/_-]*)?(?:\?[!-~]*)?$/,
      'Enter the path of a screen, such as /nodes?state=offline.',
    ),
  })
  .meta({ examples: [{ name: example.name, address: example.address }] })
export type ViewInput = z.infer<typeof ViewInput>

export const ViewChange = ViewInput.partial().meta({ examples: [{ name: 'Silent gateways' }] })
export type ViewChange = z.infer<typeof ViewChange>

export const viewRules = {
  filters: { ...byId, operator: 'integer', name: 'text' },
  ordering: ['id', 'name'],
  observed: [],
} as const satisfies ResourceRules

/** Bytes of the names and addresses of all views of an operator. */
export const maxViewBytes = 65_536
