/** The addresses under which clients reach this server. `origin` is that of the request, such as `https://roost.example:8443`. */
export interface Origins {
  /** Returns the absolute URL of a path: below the public URL, or below the origin of the request. */
  urlOf(path: string, origin: string): string
  /** Returns the path of an absolute URL of this server, and any other text unchanged. */
  pathOf(text: string, origin: string): string
}

export interface OriginsOptions {
  /** ROOST_PUBLIC_URL; null when it is not set. */
  readonly configured: string | null
  /** Returns the URL by which people know this server. */
  readonly publicUrl: () => string
  /** Returns true if the certificate of this server is valid for the host. Undefined without a certificate. */
  readonly covers: ((host: string) => boolean) | undefined
}

export function createOrigins({ configured, publicUrl, covers }: OriginsOptions): Origins {
  const isCovered = (origin: string) => covers?.(hostOf(origin)) === true
  return {
    urlOf(path, origin) {
      // Without a certificate, a proxy or the loopback interface decides under which origins this server is reached.
      const usesOwn = covers === undefined ? URL.canParse(origin) : isCovered(origin)
      return `${configured ?? (usesOwn ? origin : publicUrl())}${path}`
    },
    pathOf(text, origin) {
      const own = [origin, publicUrl()].find((one) => text.startsWith(`${one}/`))
      if (own !== undefined) return text.slice(own.length)
      const [, other = '', path = ''] = /^(https:\/\/[^/?#@\\]+)(\/.*)$/i.exec(text) ?? []
      return other !== '' && isCovered(other) ? path : text
    },
  }
}

/** Returns the host of an origin without brackets; an empty text where the origin has none. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1') : ''
}
