// Fails where product code casts through `unknown` or to `never`, which compiles whatever the value is, in a file that is
// not in this list. Prefer a zod schema, a type guard or a generic type; a new line here needs its reason.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const allowed = [
  // The types of JSON columns and of Prisma's generated queries.
  /^apps\/control-plane\/src\/(?:database\/.*|.*\/(?:[\w-]+-)?store)\.ts$/,
  /^prisma\//,
  // One function for all resources: each has types of its own.
  /^apps\/control-plane\/src\/resources\.ts$/,
  /^packages\/api-types\/src\/(?:rpc\/(?:client|crud|list-input|subscriptions|verbs)|rest\/(?:dialect\/uri|gateway-share)|values\/share-settings)\.ts$/,
  // The types of a library that differ from those of Node.
  /^apps\/control-plane\/src\/(?:http\/server|tls\/certificates)\.ts$/,
  /^packages\/runtime\/src\/disk-space-main\.ts$/,
  // The groups of a regular expression.
  /^apps\/node-agent\/src\/swift\/access-log\/access-line\.ts$/,
]
const cast = /\bas (?:unknown as\b|never\b)/

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', 'apps', 'packages', 'prisma'], {
  encoding: 'utf8',
  maxBuffer: 1 << 26,
})
  .trim()
  .split('\n')
  .filter((file) => /^(?:(?:apps|packages)\/[\w-]+\/src|prisma)\/.*\.tsx?$/.test(file) && existsSync(file))
  .filter((file) => !/\.test\.ts$|\/testing\/|\/generated\//.test(file) && !allowed.some((path) => path.test(file)))

for (const file of files)
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries())
    if (cast.test(line)) {
      process.exitCode = 1
      process.stderr.write(`${file}:${index + 1} casts without a check. Parse the value, or narrow its type.\n`)
    }
