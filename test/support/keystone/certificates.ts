import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runToEnd } from '../programs/processes.js'

export interface Certificates {
  /** PEM of the private CA. */
  readonly ca: string
  /** Paths of the server's certificate and key. */
  readonly certificate: string
  readonly key: string
}

/** Creates a private CA and a certificate for 127.0.0.1 and `localhost` in a folder, valid for so many days, with the program `openssl`. */
export async function makeCertificates(folder: string, days = 7): Promise<Certificates> {
  const path = (name: string) => join(folder, name)
  await writeFile(path('server.ext'), 'subjectAltName = IP:127.0.0.1, DNS:localhost\n')
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await openssl(
    'req',
    '-x509',
    ...ec,
    '-days',
    String(days),
    '-subj',
    '/CN=Private CA',
    '-keyout',
    path('ca.key'),
    '-out',
    path('ca.pem'),
  )
  await openssl('req', ...ec, '-subj', '/CN=localhost', '-keyout', path('server.key'), '-out', path('server.csr'))
  const signer = ['-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-CAcreateserial', '-days', String(days)]
  const request = ['-in', path('server.csr'), '-extfile', path('server.ext'), '-out', path('server.pem')]
  await openssl('x509', '-req', ...signer, ...request)
  return { ca: await readFile(path('ca.pem'), 'utf8'), certificate: path('server.pem'), key: path('server.key') }
}

async function openssl(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runToEnd('openssl', args)
  if (code !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`)
}
