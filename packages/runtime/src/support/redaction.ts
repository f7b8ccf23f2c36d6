const hidden = '[hidden]'
/** A shorter text would be found in words that are no secret. */
const fewestCharacters = 6

/** What is hidden although this process does not know its value. */
const patterns: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, hidden],
  // The password in a URL.
  [/(\b[a-z][a-z+.-]*:\/\/[^\s:@/"']*):[^\s@/"']+@/gi, `$1:${hidden}@`],
  [/\b(apikey|bearer|basic)(\s+)[\w+/=:.~-]{6,}/gi, `$1$2${hidden}`],
  // A value after a name that ends like `password=`, `"secret": ` or `--token `; numbers and truths stay.
  [
    /((?:passw(?:or)?d|passphrase|secret|token|api_?key|private_?key|credentials?|s3_secret)\\?["']?(?:\s*[:=]\s*|\s+(?=\S{8})))(?!(?:null|true|false|-?[\d.]+)\b)(?:\\?"(?:[^"\\]|\\[^"])*\\?"|'[^']*'|[^\s"',;{}[\]]+)/gi,
    `$1"${hidden}"`,
  ],
  // A user of Swift's tempauth, whose password is the first word of the value.
  [/(\buser(?:64)?_\w+\s*=\s*)\S+/g, `$1${hidden}`],
  [/\bAUTH_tk[\da-f]{8,}/g, `AUTH_tk${hidden}`],
  // Random words: keys of Roost, nonces, keys in base64; a token for enrollment has 40 hexadecimal digits.
  [/(?<![\w+/-])(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=[\w+/-]*\d)[\w+-]{32,}={0,2}/g, hidden],
  [/\b[\da-f]{40}\b/g, hidden],
]

/** Returns a function that hides these secrets in a text, and whatever else has the form of one. */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= fewestCharacters)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ])
  // The longest first: one may contain another.
  const known = [...new Set(forms)].toSorted((a, b) => b.length - a.length)
  return (text) => {
    const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, hidden), text)
    return patterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), withoutKnown)
  }
}
