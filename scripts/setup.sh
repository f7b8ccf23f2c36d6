#!/bin/sh
# Installs what is missing and builds what changed, silently unless it takes long or fails: `npm run setup`.
set -eu
cd "$(dirname "$0")/.."
node packages/runtime/node-version.js

# Packages in the caches of npm and pnpm need no network. Without one, npm would try for 80 s, and its silence hides why.
export npm_config_prefer_offline=true npm_config_fetch_retries=2 npm_config_fetch_retry_mintimeout=1000 npm_config_fetch_retry_maxtimeout=5000
code=0
npx --yes -p pnpm@12.21.0 -c scripts/install-and-build.sh || code=$?
# 70: the script has reported what failed.
if [ "$code" != 0 ] && [ "$code" != 70 ]; then
  echo "Roost could not download pnpm from $(npm config get registry 2>/dev/null). Connect this machine to the network, or set a proxy or another registry with \"npm config set\". \"npm run setup\" without -s shows npm's reason." >&2
fi
exit "$code"
