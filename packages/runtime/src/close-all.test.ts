import { expect, it } from 'vitest'
import { closeAll } from './close-all.js'

function closers(...failing: readonly string[]) {
  const closed: string[] = []
  const close = (name: string) => () => {
    closed.push(name)
    if (failing.includes(name)) throw new Error(`${name} does not close`)
  }
  return { closed, all: ['stream', 'jobs', 'database'].map(close) }
}

it('closes the rest after one that failed, and throws its error then', async () => {
  const { closed, all } = closers('stream')
  await expect(closeAll(all)).rejects.toThrow('stream does not close')
  expect(closed).toEqual(['stream', 'jobs', 'database'])
})

it('throws every error when several fail', async () => {
  const { closed, all } = closers('jobs', 'database')
  const error = await closeAll(all).catch((thrown: unknown) => thrown)
  expect(closed).toEqual(['stream', 'jobs', 'database'])
  expect((error as AggregateError).errors.map(String)).toEqual([
    'Error: jobs does not close',
    'Error: database does not close',
  ])
})

it('waits for each before it closes the next', async () => {
  const order: string[] = []
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    order.push('slow')
  }
  await closeAll([slow, () => void order.push('next')])
  expect(order).toEqual(['slow', 'next'])
})
