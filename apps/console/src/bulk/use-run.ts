import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isCallError, isLoggedOut } from '../api/client.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { writeEach } from './write-each.js'
import type { Outcome } from './write-each.js'

type Write<R> = (record: R) => Promise<unknown>

interface RunOptions<R> {
  readonly title: string
  /** The first part of the query keys of what is read again. */
  readonly topic: string
  /** Called with what is not done when a run ends. */
  readonly onRest: (rest: readonly R[]) => void
}

export interface Run<R> extends Outcome<R> {
  readonly isRunning: boolean
  /** Of the present run: how many have ended, of how many. */
  readonly ended: number
  readonly total: number
  /** What is done with each; undefined before the first start. */
  readonly write: Write<R> | undefined
  readonly start: (records: readonly R[], write: Write<R>) => void
  readonly stop: () => void
}

/** Returns true for a call without an answer: it may be done, or not. */
export function isUnanswered(error: unknown): boolean {
  return isCallError(error) && error.data === undefined
}

/** Without an answer, or without a session, the others would fail, too. */
const endsAll = (error: unknown) => isUnanswered(error) || isLoggedOut(error)

export function restOf<R>({ refused, left }: Outcome<R>): readonly R[] {
  return [...refused.map(({ record }) => record), ...left]
}

/** Writes several records, one call each. Who leaves the screen stops it, and is shown how far it came. */
export function useRun<R>({ title, topic, onRest }: RunOptions<R>): Run<R> {
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<Outcome<R>>({ done: [], refused: [], left: [] })
  const [ended, setEnded] = useState(0)
  const [begun, setBegun] = useState<{ readonly total: number; readonly write: Write<R> }>()
  const [stopping, setStopping] = useState<AbortController>()
  const isShown = useRef(true)
  const run = async (records: readonly R[], write: Write<R>) => {
    const controller = new AbortController()
    setStopping(controller)
    setEnded(0)
    setBegun({ total: records.length, write })
    const next = await writeEach(records, { write, endsAll, signal: controller.signal, onProgress: setEnded })
    const all = { ...next, done: [...outcome.done, ...next.done] }
    setOutcome(all)
    setStopping(undefined)
    onRest(restOf(all))
    void queries.invalidateQueries({ queryKey: [topic] })
    if (!isShown.current) toast(t('bulk.interrupted', { title, ...countsOf(all) }))
  }
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  useEffect(() => () => stopping?.abort(), [stopping])
  return {
    ...outcome,
    isRunning: stopping !== undefined,
    ended,
    total: begun?.total ?? 0,
    write: begun?.write,
    start: (records, write) => void run(records, write),
    stop: () => stopping?.abort(),
  }
}

export function countsOf<R>({ done, refused, left }: Outcome<R>) {
  const total = done.length + refused.length + left.length
  return { done: done.length, total, refused: refused.length, left: left.length }
}
