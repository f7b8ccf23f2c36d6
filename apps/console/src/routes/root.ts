import { createRootRoute, retainSearchParams } from '@tanstack/react-router'
import { pick } from '../search.js'
import type { RawSearch } from '../search.js'
import { NotFound } from '../shell/not-found.js'
import { Shell } from '../shell/shell.js'

export const root = createRootRoute({
  validateSearch: (search: RawSearch) => pick(search, 'cluster'),
  search: { middlewares: [retainSearchParams(['cluster'])] },
  component: Shell,
  notFoundComponent: NotFound,
})
