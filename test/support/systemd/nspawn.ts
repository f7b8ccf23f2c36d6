import { basename } from 'node:path'

/** Without a systemd on the host that could register it; the network is that of the caller. */
export function nspawnArguments(root: string, name = 'roost-test'): readonly string[] {
  const isolation = ['--register=no', '--keep-unit', '--capability=all', '--bind=/dev/fuse']
  return ['--quiet', `--machine=${name}`, `--directory=${root}`, '--resolv-conf=off', ...isolation]
}

/**
 * A shell script that moves its process into a cgroup of its own, named like the folder: two containers in one cgroup would share
 * their units. Also removes cgroups of earlier runs in which no process is left; another suite may remove or enter one at the same time.
 */
export function ownCgroup(folder: string): string {
  return `for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    [ -e $hierarchy/cgroup.procs ] || continue
    for old in $hierarchy/roost-test-*; do
      [ ! -d $old ] || [ -n "$(find $old -name cgroup.procs -exec cat {} +)" ] || find $old -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    own=$hierarchy/roost-test-${basename(folder)}
    for attempt in 1 2 3 4 5; do mkdir -p $own && echo $$ >$own/cgroup.procs && break; done
    [ -n "$(cat $own/cgroup.procs)" ]
  done`
}
