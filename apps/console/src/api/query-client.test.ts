import { MutationObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'

describe('the cache of answers', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('forgets what a change has sent and got as soon as nothing shows it', async () => {
    vi.stubGlobal('window', {})
    const { createQueryClient } = await import('./query-client.js')
    const client = createQueryClient(() => {})
    const changes = client.getMutationCache()
    const write = async (password: string) => ({ secret_key: `key of ${password}` })
    const shown = new MutationObserver(client, { mutationFn: write })
    const close = shown.subscribe(() => {})
    await shown.mutate('correct-horse')
    expect(changes.getAll().map(({ state }) => state.data)).toEqual([{ secret_key: 'key of correct-horse' }])
    close()
    await expect.poll(() => changes.getAll()).toEqual([])
  })
})
