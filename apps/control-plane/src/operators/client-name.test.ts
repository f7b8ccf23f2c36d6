import { expect, it } from 'vitest'
import { clientName } from './client-name.js'

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140 on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari 18 on macOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0',
    'Edge 150 on Windows',
  ],
  ['curl/8.14.1', 'curl/8.14.1'],
  ['a\u0000b', 'ab'],
  [undefined, ''],
])('a session names its browser: %s', (agent, client) => {
  expect(clientName(agent)).toBe(client)
})
