import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/** Headers that keep browsers from doing with our answers what we do not mean. There is no CORS: no other page may read them. */
export async function secureHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    global: true,
    // It would bind every other port of this host to TLS, and those are not ours.
    hsts: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
      },
    },
  })
}
