#!/bin/sh
# Prints the time and the text of each file that is named by an argument, once for each line of standard input.
# The first argument is the root of the machine; a file whose real path is outside it is left out.
# One stat and one grep read all files, so that a round costs two forks of a small shell. grep writes `path NUL line`, which
# no content can imitate, and writes each line at once. After each file it reads one that never blocks, so that a partial
# answer shows how far it came (slow-files.ts). The memory limit is for files without an end.
# shellcheck disable=SC3045 # dash and bash have it
ulimit -v 131072
base=$(cd -P -- "$1" && pwd -P) || exit
shift
is_inside() {
  [ "$base" = / ] && return
  [ ! -h "$1" ] && cd -P -- "${1%/*}" 2>/dev/null && case $PWD/ in "$base"/*) ;; *) return 1 ;; esac
}
answer() {
  n=$#
  for file; do
    is_inside "$file" && set -- "$@" "$file"
    set -- "$@" /proc/sys/kernel/ostype
  done
  cd /
  shift "$n"
  [ $# -gt 0 ] || return
  stat -L -c '%.3Y %n' -- "$@" 2>/dev/null
  grep -aHZ --line-buffered '' -- "$@" 2>&1
}
while read -r _; do answer "$@"; echo .; done
