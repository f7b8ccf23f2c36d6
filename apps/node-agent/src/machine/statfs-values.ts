import type { FilesystemSpace } from '@roost/api-types/agent'

export interface StatfsValues extends FilesystemSpace {
  /** 0 where the filesystem has no fixed number of inodes. */
  readonly inodes: number
  readonly freeInodes: number
}

/** Reads the answer to `stat -f -c '%S %b %f %a %c %d'`; undefined when it is none. */
export function parseStatfs(text: string): StatfsValues | undefined {
  const answer = text.trim()
  if (!/^[1-9]\d*(?: \d+){5}$/.test(answer)) return undefined
  const [block, blocks, free, available, inodes, freeInodes] = answer.split(' ').map(Number) as SixNumbers
  return {
    total_bytes: blocks * block,
    free_bytes: free * block,
    available_bytes: available * block,
    inodes,
    freeInodes,
  }
}

type SixNumbers = [number, number, number, number, number, number]
