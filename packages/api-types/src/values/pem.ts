import { z } from 'zod'

/** One or more certificates in PEM format. */
export const Pem = z
  .string()
  .max(65_536)
  .regex(
    /^(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)+\s*$/,
    'Use one or more certificates in PEM format, and no other text.',
  )
