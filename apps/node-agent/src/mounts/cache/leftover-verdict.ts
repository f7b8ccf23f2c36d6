import type { StorageObjects } from '../health/storage-client.js'

/** Names a file in its container: its name during the upload, and its present one. */
export interface RenamedObject {
  readonly container: string
  readonly from: string
  readonly to: string
}

/** The size of a leftover, or the reason why the object is not one. */
export type LeftoverVerdict = { readonly bytes: number } | { readonly kept: string }

/** Compares what Swift has under both names. Rejects when Swift does not answer. */
export async function judgeLeftover(
  account: Pick<StorageObjects, 'headObject'>,
  { container, from, to }: RenamedObject,
): Promise<LeftoverVerdict> {
  const left = await account.headObject(container, from)
  if (left === undefined) return { kept: 'Swift has no object of this name.' }
  const renamed = await account.headObject(container, to)
  if (renamed === undefined) return { kept: `Swift has no object '${to}', which is the new name of the file.` }
  // The hash of such an object is not that of its content.
  if (left.isSegmented || renamed.isSegmented)
    return { kept: 'The object consists of segments, whose content cannot be compared.' }
  if (left.bytes !== renamed.bytes || left.md5 !== renamed.md5)
    return { kept: `Its content differs from that of '${to}', which is the new name of the file.` }
  if (left.writtenAtSeconds >= renamed.writtenAtSeconds) return { kept: `It was written after '${to}'.` }
  return { bytes: left.bytes }
}
