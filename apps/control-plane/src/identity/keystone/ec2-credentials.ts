import { createHash, randomBytes } from 'node:crypto'
import type { CreatedS3Credential } from '@roost/api-types/rest'
import { z } from 'zod'
import type { KeystoneClient } from './client.js'
import { KeystoneError } from './errors.js'
import { Created } from './objects.js'

const Credential = z.object({ id: z.string().min(1), blob: z.string() })
const Blob = z.object({ access: z.string(), secret: z.string() })

/** Returns the EC2 credentials of a user, with which it signs requests of S3. */
export async function listEc2Credentials(
  client: KeystoneClient,
  userId: string,
): Promise<readonly CreatedS3Credential[]> {
  const rows = await client.list(`/credentials?type=ec2&user_id=${userId}`, 'credentials', Credential)
  return rows.map(({ blob }) => parse(blob))
}

function parse(blob: string): CreatedS3Credential {
  try {
    const { access, secret } = Blob.parse(JSON.parse(blob))
    return { access_key: access, secret_key: secret }
  } catch {
    // Its secret must not be in a message.
    throw new KeystoneError('An EC2 credential in Keystone cannot be read.')
  }
}

/** Creates a credential for the account of a project. */
export async function createEc2Credential(
  client: KeystoneClient,
  user: { readonly id: string; readonly projectId: string },
) {
  const [access, secret] = [randomBytes(16).toString('hex'), randomBytes(20).toString('hex')]
  const blob = JSON.stringify({ access, secret })
  await client.create(
    '/credentials',
    'credential',
    { type: 'ec2', user_id: user.id, project_id: user.projectId, blob },
    Created,
  )
  return { access_key: access, secret_key: secret }
}

/** Keystone names an EC2 credential by the digest of its access key. */
export async function removeEc2Credential(client: KeystoneClient, accessKey: string): Promise<void> {
  await client.remove(`/credentials/${createHash('sha256').update(accessKey).digest('hex')}`)
}
