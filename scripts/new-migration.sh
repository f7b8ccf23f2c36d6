#!/bin/sh
# Writes the migration from the last one to the schema files. Builds the database package alone: the rest of the
# repository may not compile before the migration is there.
set -eu
cd "$(dirname "$0")/.."
export TURBO_TELEMETRY_DISABLED=1
exec npx --yes -p pnpm@12.21.0 -c "
  pnpm install --frozen-lockfile --loglevel=error &&
  pnpm exec turbo run build --filter=@roost/database --output-logs=errors-only >&2 &&
  exec node prisma/dist/migrate/new-migration.js $*"
