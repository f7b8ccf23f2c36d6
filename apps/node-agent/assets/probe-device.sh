#!/bin/sh
# Reads from a mount point ($1) and from a block ($3) of its disk ($2), and prints the space of the file system.
# statfs alone does not show health: a file system that was shut down still answers it with old values, while reading its top
# folder fails. That folder may be in memory: a block of the disk itself, at another location each time and past the cache, is
# not. A folder or a disk that is closed to the agent's user says nothing against it.
if ! said=$(ls -f -- "$1" 2>&1 >/dev/null); then
  case $said in *"Permission denied"*) ;; *) echo "$said" >&2; exit 1;; esac
fi
if [ -r "$2" ] && ! said=$(dd if="$2" of=/dev/null bs=4096 count=1 skip="$3" iflag=direct 2>&1); then
  case $said in *"Input/output error"*) echo "$2: $said" >&2; exit 1;; esac
fi
exec stat -f -c '%S %b %f %a %c %d' -- "$1"
