import { PassThrough, Writable } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { watchOutput } from './program-output.js'

/** Accepts a write only when the test says so. */
function slowStream() {
  const accepts: (() => void)[] = []
  return { accepts, stream: new Writable({ write: (_chunk, _encoding, done) => void accepts.push(done) }) }
}

function failingStream(code: string): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) })
}

it('waits until a slow reader has read everything', async () => {
  const { accepts, stream } = slowStream()
  const output = watchOutput(stream, new PassThrough())
  stream.write('records')
  let code: number | undefined
  const finished = output.finish(3).then((result) => (code = result))
  await tick()
  expect(code).toBeUndefined()
  while (accepts.length > 0) {
    accepts.shift()?.()
    await tick()
  }
  await finished
  expect(code).toBe(3)
})

it('keeps the exit code when the reader closed the pipe, and reports nothing', async () => {
  const err = new PassThrough()
  const out = failingStream('EPIPE')
  const output = watchOutput(out, err)
  out.write('records')
  expect(await output.finish(0)).toBe(0)
  expect(err.read()).toBeNull()
})

it.each([
  [0, 1],
  [4, 4],
])('reports output that could not be written, and makes exit code %i into %i', async (before, after) => {
  const err = new PassThrough()
  const out = failingStream('ENOSPC')
  const output = watchOutput(out, err)
  out.write('records')
  expect(await output.finish(before)).toBe(after)
  expect(err.read()?.toString()).toBe('The output could not be written: ENOSPC.\n')
})
