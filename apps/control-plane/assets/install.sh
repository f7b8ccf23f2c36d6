#!/bin/sh
# Installs the node agent of Roost on this machine and enrolls it. The control plane serves this file with the settings
# below filled in, and `roost token create` prints the line that runs it: sh reads the file, then `enroll TOKEN`, from
# standard input, so that the token is in no list of processes.
#
# Flags, after `| sh -s --`:
#   --dry-run            says what would be done, and changes nothing
#   --prepare ROLES      prepares the servers of these roles as well: gateway, proxy, storage, or several with commas
#   --take-place         continues as the known node of this hardware
#   --new-node           adds a new node, even if this hardware is known
set -u
umask 022
export LC_ALL=C

server=''
pin=''
ca_sha256=''
now=''
packages=''

state=/var/lib/roost-agent
kept=/var/lib/roost-agent-upgrade/kept
program=/usr/bin/roost-agent
log='journalctl -u roost-agent'

dry_run=no
prepare=''
choice=''
work=''
installing=no

say() { printf '%s\n' "$*"; }

fail() {
  printf 'Roost: %s\n' "$*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=yes ;;
    --take-place | --new-node) choice=$1 ;;
    --prepare)
      prepare=${2-}
      printf '%s\n' "$prepare" | grep -Eqx '(gateway|proxy|storage)(,(gateway|proxy|storage))*' ||
        fail '--prepare needs roles: gateway, proxy, storage, or several with commas, such as gateway,proxy.'
      shift
      ;;
    *) fail "There is no flag '$1'. There are --dry-run, --prepare, --take-place and --new-node." ;;
  esac
  shift
done

# Ends with the system's part of the name of a package: deb or rpm.
find_format() {
  [ -r /etc/os-release ] || fail 'This system is not known: it has no /etc/os-release.'
  # shellcheck source=/dev/null
  system=$(. /etc/os-release && printf '%s %s (%s)' "${ID-}" "${VERSION_ID-}" "${ID_LIKE-}")
  case $system in
    'debian 12 '* | 'debian 13 '* | 'ubuntu 22.04 '* | 'ubuntu 24.04 '*) format=deb ;;
    'rhel 9'* | 'ol 9'* | *' 9'*'('*rhel*) format=rpm ;;
    *)
      fail "There is no package for this system, $system. There are packages for Debian 12 and 13, Ubuntu 22.04 and 24.04, and RHEL 9 and its family." ;;
  esac
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) fail "There is no package for this processor, $(uname -m). There are packages for x86_64 and aarch64." ;;
  esac
}

require_new_node() {
  if [ -e "$state/identity.json" ] && "$program" --version >/dev/null 2>&1 </dev/null; then
    known=$(sed -n 's/.*"server": *"\([^"]*\)".*/\1/p' "$state/identity.json")
    if [ "$known" = "$server" ]; then
      say "This machine is a node of $server already. Nothing was changed."
      exit 0
    fi
    fail "This machine is a node of ${known:-another control plane} already. To add it to this one, remove it there first: docs/agent.md has the commands."
  fi
  [ ! -e "$program" ] || is_installed ||
    fail "There is an agent at $program that no package has installed. Remove it first: docs/agent.md has the commands."
}

is_installed() {
  case $format in
    deb) [ "$(dpkg-query -W -f='${db:Status-Status}' roost-agent 2>/dev/null)" = installed ] ;;
    rpm) rpm -q roost-agent >/dev/null 2>&1 ;;
  esac
}

require_clock() {
  ahead=$(($(date +%s) - now))
  if [ "$ahead" -gt 300 ] || [ "$ahead" -lt -300 ]; then
    fail "The clock of this machine differs by ${ahead#-} s from that of the control plane. Set it, for example with timedatectl set-ntp true, then paste the line again."
  fi
}

# Sets digest, bytes and file of the package for this machine.
find_package() {
  row=$(printf '%s\n' "$packages" | grep "^$arch $format ") ||
    fail "$server has no package for $arch in the format $format. On its machine, add one with: roost packages add FILE"
  # shellcheck disable=SC2086
  set -- $row
  digest=$3 bytes=$4 file=$5
}

# A package is unpacked to about four times its size.
require_space() {
  for folder in /var/tmp /usr /var/lib; do
    needed=$((bytes * 5 / 1024 + 16384))
    free=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$needed" ] ||
      fail "There are $((free / 1024)) MiB of free space at $folder, and the agent needs $((needed / 1024)). Free some, then paste the line again."
  done
}

fetch() {
  # shellcheck disable=SC2086
  if [ -n "$pin" ]; then
    curl -fsS --retry 3 --max-time 900 --insecure --pinnedpubkey "sha256//$pin" "$@" </dev/null
  else
    curl -fsS --retry 3 --max-time 900 "$@" </dev/null
  fi
}

download() {
  say "Downloading $file ($((bytes / 1048576)) MiB) from $server"
  problem=$(fetch -o "$work/$file" "$server/packages/$file" 2>&1) ||
    fail "The package could not be downloaded: $(last_line "$problem"). Nothing was changed: paste the line again."
  printf '%s  %s\n' "$digest" "$work/$file" | sha256sum --check --status ||
    fail "The package has another SHA-256 than $server says. Nothing was changed: paste the line again."
}

install_package() {
  say "Installing $file"
  is_installed || installing=yes
  tries=0
  until problem=$(run_package_manager 2>&1 </dev/null); do
    # Other programs install for a while, for example at the first start of a machine.
    case $problem in *' lock '*) tries=$((tries + 1)) ;; *) tries=61 ;; esac
    [ "$tries" -le 60 ] ||
      fail "The package could not be installed: $(reason "$problem"). Nothing is left of it. Once that is mended, paste the line again."
    [ "$tries" -gt 1 ] || say 'Waiting for another program that installs packages'
    sleep 5
  done
}

run_package_manager() {
  case $format in
    deb) DEBIAN_FRONTEND=noninteractive dpkg --install "$work/$file" ;;
    rpm) rpm --upgrade --replacepkgs "$work/$file" ;;
  esac
}

# Keeps the package for an upgrade that has to return to it: a control plane may offer only later versions by then.
keep_package() {
  case $format in
    deb) version=$(dpkg-query -W -f='${Version}' roost-agent) ;;
    rpm) version=$(rpm -q --qf '%{VERSION}' roost-agent) ;;
  esac
  install -D -m 644 "$work/$file" "$kept/roost-agent-$version.$format" ||
    say "The package could not be kept in $kept: an upgrade then fetches it again."
}

# dpkg names the cause in the line below its error, and ends with the name of the package.
reason() {
  found=$(printf '%s\n' "$1" | sed -n 's/^dpkg: error: //p; /^dpkg: error processing/{ n; s/^ *//; p; }' | head -n 1)
  printf '%s' "${found:-$(last_line "$1")}"
}

remove_package() {
  case $format in
    deb) dpkg --purge roost-agent ;;
    rpm) rpm --erase roost-agent ;;
  esac >/dev/null 2>&1 </dev/null
  [ "$had_state" = yes ] || rm -rf "$state"
}

enroll_node() {
  say "Enrolling at $server"
  set -- enroll --server "$server"
  [ -z "$ca_sha256" ] || set -- "$@" --ca-sha256 "$ca_sha256"
  [ -z "$choice" ] || set -- "$@" "$choice"
  if problem=$(ROOST_TOKEN=$token "$program" "$@" 2>&1 </dev/null); then
    # From here on a failure leaves a node, whose agent can be started again.
    installing=no
    printf '%s\n' "$problem" | sed 's/ Start the agent with:.*//'
    return
  fi
  hint=''
  case $problem in *--take-place*) hint=' To add the flag, end the line with: | sh -s -- --take-place' ;; esac
  fail "$(printf '%s' "$problem" | tr '\n' ' ')$hint"
}

prepare_roles() {
  for role in $(printf '%s' "$prepare" | tr ',' ' '); do
    say "Preparing the servers of this machine: $role"
    "$program" "$role" prepare --yes </dev/null ||
      fail "The node is enrolled, but its $role servers are not prepared. Mend that, then run: roost-agent $role prepare --yes && systemctl enable --now roost-agent"
  done
}

start_agent() {
  say 'Starting the agent'
  systemctl enable --quiet roost-agent </dev/null
  systemctl restart roost-agent </dev/null || fail "The node is enrolled, but its agent does not start. See: $log"
}

wait_until_online() {
  tries=0
  while [ "$tries" -lt 120 ]; do
    status=$(systemctl show --property StatusText --value roost-agent)
    case $status in
      'connected to '*)
        say "This node is online. Its log: $log. Its checks: roost-agent doctor. All nodes, on the control plane: roost node list"
        return
        ;;
    esac
    tries=$((tries + 1))
    sleep 0.5
  done
  fail "The node is enrolled and its agent runs, but it is not online after 60 s: ${status:-it reports no status}. See: $log"
}

last_line() { printf '%s' "$1" | tail -n 1; }

clean_up() {
  code=$?
  trap - EXIT
  [ "$installing" = no ] || remove_package
  [ -z "$work" ] || rm -rf "$work"
  exit "$code"
}

say_plan() {
  say "This line would, on $(uname -n) ($system, $arch):"
  say "- download $file ($((bytes / 1048576)) MiB) from $server, and check its SHA-256, $digest"
  case $format in
    deb) say "- install it with dpkg" ;;
    rpm) say "- install it with rpm" ;;
  esac
  say "- enroll this machine at $server, and keep its identity in $state"
  [ -z "$prepare" ] || say "- prepare it as $prepare; roost-agent gateway prepare, proxy prepare and storage prepare show the changes to files"
  say '- enable and start roost-agent.service, and wait until the node is online'
}

# Called by the last line of what sh reads.
enroll() {
  token=$1
  [ "$(id -u)" = 0 ] || fail 'This needs root. Paste the line into a shell of root, or end it with "| sudo sh" instead of "| sh".'
  find_format
  [ -d /run/systemd/system ] || fail 'This machine was not started by systemd, which the agent needs as a service.'
  require_new_node
  find_package
  require_clock
  require_space
  if [ "$dry_run" = yes ]; then
    say_plan
    exit 0
  fi
  had_state=no
  [ ! -e "$state" ] || had_state=yes
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  work=$(mktemp -d /var/tmp/roost.XXXXXX) || fail 'There is no folder for the package: /var/tmp cannot be written.'
  download
  install_package
  enroll_node
  keep_package
  prepare_roles
  start_agent
  wait_until_online
  exit 0
}
