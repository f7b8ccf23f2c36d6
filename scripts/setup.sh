#!/bin/sh
# Installs what is missing and builds what changed, with a word only where it takes long or fails.
# Runs with pnpm in the PATH: npm run setup.
set -eu
cd "$(dirname "$0")/.."
export TURBO_TELEMETRY_DISABLED=1

if [ ! -e node_modules/.modules.yaml ] || [ ! -e apps/control-plane/dist/main.js ]; then
  echo 'Installing and building Roost; the first time this takes a minute or two.' >&2
fi
pnpm install --frozen-lockfile --loglevel=error
# Turbo has no quiet mode: its banner and summary are shown when the build fails.
built=$(pnpm exec turbo run build --output-logs=errors-only 2>&1) || {
  printf '%s\n' "$built" >&2
  exit 1
}
