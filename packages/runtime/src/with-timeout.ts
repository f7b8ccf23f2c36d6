/** What it answers, or what stands for it when it has not answered after so long. What comes later is dropped. */
export async function inTime<T, S>(running: Promise<T>, ms: number, substitute: () => S): Promise<T | S> {
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
