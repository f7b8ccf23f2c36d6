import type { AskRecon } from './recon-client.js'

/** Asks a storage server of this node for the version of Swift; null when none answers. */
export async function readSwiftVersion(ask: AskRecon): Promise<string | null> {
  const answer = await ask('version')
  const version = typeof answer === 'object' && answer !== null && 'version' in answer ? answer.version : null
  return typeof version === 'string' ? version : null
}
