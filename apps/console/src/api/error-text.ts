import { t } from '../words/text.js'
import { isCallError } from './client.js'

/** Returns the sentence about an error that an operator reads. */
export function errorText(error: unknown): string {
  if (!isCallError(error)) return error instanceof Error ? error.message : String(error)
  return error.data === undefined ? t('error.unreachable') : error.message
}
