import { CreatedS3Credential, S3Credentials } from '@roost/api-types/rest'
import type { S3CredentialService } from '@roost/api-types/rpc'
import { z } from 'zod'
import type { Idempotency } from '../http/dialect/idempotency.js'
import type { Route } from '../http/dialect/route.js'
import { idempotencyKey } from '../http/dialect/schema-document.js'
import { objectBody } from '../http/guards/body.js'

/** The keys of S3 of a user. */
export function s3CredentialRoutes(
  credentials: S3CredentialService,
  requireRecord: (id: number) => Promise<unknown>,
  idempotency: Idempotency,
): readonly Route[] {
  const shared = { path: 'users/:id/s3_credentials/', resource: 'users', requireRecord } as const
  return [
    {
      ...shared,
      method: 'GET',
      status: 200,
      answer: S3Credentials,
      summary: 'With what a user reaches its account by S3, without secret keys',
      refusals: [409, 503],
      handle: ({ id }) => credentials.list(id),
    },
    {
      ...shared,
      method: 'POST',
      status: 201,
      answer: CreatedS3Credential,
      secretAnswer: true,
      summary: 'Create an EC2 credential of a user in Keystone, whose secret key is returned by this answer alone',
      refusals: [409, 503],
      headers: idempotencyKey,
      async handle({ id, body, caller, headers }) {
        const [path, key] = [`/api/v1/users/${id}/s3_credentials/`, headers['idempotency-key']]
        const request = { caller, path, key, body: objectBody(body ?? {}), secrets: ['secret_key'] }
        const answer = await idempotency.once<Partial<CreatedS3Credential>>(request, (once) =>
          credentials.create(id, once),
        )
        // What is stored for repetitions has no secret.
        return answer.secret_key === undefined ? credentials.reveal(id, answer.access_key ?? '') : answer
      },
    },
    {
      ...shared,
      path: 'users/:id/s3_credentials/:access_key/',
      params: { access_key: 'Access key of the credential' },
      method: 'DELETE',
      status: 204,
      answer: z.undefined(),
      summary: 'Remove an EC2 credential of a user from Keystone',
      refusals: [409, 503],
      handle: ({ id, params, caller }) => credentials.remove(id, params['access_key'] ?? '', caller),
    },
  ]
}
