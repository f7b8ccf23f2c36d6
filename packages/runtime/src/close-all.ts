type Close = () => Promise<void> | void

/**
 * Closes one thing after the other, in the order given. One that fails must not keep the rest open, such as the database
 * server behind it: the failures are thrown when all have been closed.
 */
export async function closeAll(closers: readonly Close[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers)
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} parts could not be closed.`)
  if (failures.length === 1) throw failures[0]
}
