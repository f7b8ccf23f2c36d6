import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js'

let echo: Server
let proxy: TcpProxy
let client: Socket
let heard = ''
let seen: string[] = []

beforeEach(async () => {
  heard = ''
  seen = []
  const events = seen
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', (error: NodeJS.ErrnoException) => events.push(error.code ?? 'error'))
    socket.on('end', () => events.push('end'))
    socket.on('data', (chunk) => {
      events.push(String(chunk))
      socket.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await startTcpProxy({ port: (echo.address() as AddressInfo).port })
  client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('data', (chunk) => (heard += String(chunk)))
  client.on('error', () => {})
  await once(client, 'connect')
  // The kernel connects before the proxy knows of it.
  await vi.waitUntil(() => proxy.open === 1, { timeout: 60_000 })
})

afterEach(async () => {
  client.destroy()
  await proxy.close()
  echo.close()
})

it('passes bytes both ways', async () => {
  client.write('hello')
  await expect.poll(() => heard).toBe('hello')
})

it('holds bytes in a black hole, and lets them go when it ends', async () => {
  proxy.set({ kind: 'black-hole', direction: 'both' })
  client.write('held')
  await sleep(50)
  expect(seen).toEqual([])
  proxy.set({ kind: 'pass' })
  await expect.poll(() => heard).toBe('held')
})

it('swallows one direction alone, with no FIN when the far end closes', async () => {
  proxy.set({ kind: 'black-hole', direction: 'down' })
  client.write('one way')
  await expect.poll(() => seen).toEqual(['one way'])
  let ended = false
  client.on('end', () => (ended = true))
  await sleep(50)
  expect({ heard, ended }).toEqual({ heard: '', ended: false })
})

it('closes one half', async () => {
  proxy.halfClose('up')
  await expect.poll(() => seen).toEqual(['end'])
  expect(client.destroyed).toBe(false)
})

it('resets both ends', async () => {
  client.write('a')
  await expect.poll(() => heard).toBe('a')
  proxy.reset()
  await closed(client)
  await expect.poll(() => seen).toContain('ECONNRESET')
  await expect.poll(() => proxy.open).toBe(0)
})

it('cuts after so many bytes', async () => {
  proxy.set({ kind: 'cut', afterBytes: 3 })
  client.write('abcdef')
  await closed(client)
  expect(seen.join('')).not.toContain('d')
})

it('drips byte by byte', async () => {
  proxy.set({ kind: 'drip', bytesPerSecond: 200 })
  client.write('slow')
  await expect.poll(() => heard).toBe('slow')
  expect(seen.length).toBeGreaterThan(1)
})

it('refuses new connections and leaves open ones alone', async () => {
  proxy.set({ kind: 'refuse' })
  const late = connect({ port: proxy.port, host: '127.0.0.1' })
  await closed(late)
  client.write('still here')
  await expect.poll(() => heard).toBe('still here')
  expect(proxy.accepted).toBe(2)
})

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}
