/** Returns the result of the work, or the substitute when it takes longer. A later result is dropped. */
export async function withTimeout<T, S>(running: Promise<T>, ms: number, substitute: () => S): Promise<T | S> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    return await Promise.race([running, late.then(substitute)])
  } finally {
    clearTimeout(timer)
  }
}
