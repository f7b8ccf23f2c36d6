#!/bin/sh
# The part of scripts/setup.sh that runs with pnpm in the PATH. Exit code 70: it has reported what failed.
set -eu
cd "$(dirname "$0")/.."
export TURBO_TELEMETRY_DISABLED=1

if [ ! -e node_modules/.modules.yaml ] || [ ! -e apps/control-plane/dist/main.js ]; then
  echo 'Installing and building Roost; the first time this takes a minute or two.' >&2
fi
pnpm install --frozen-lockfile --loglevel=error || {
  echo 'Roost could not install its dependencies. Check the network and the space of this disk, and run "npm run setup" again.' >&2
  exit 70
}
# Turbo has no quiet mode: its banner and summary are shown when the build fails.
built=$(pnpm exec turbo run build --output-logs=errors-only 2>&1) || {
  printf '%s\n' "$built" >&2
  exit 70
}
