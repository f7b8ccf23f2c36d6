cache=/var/lib/roost-agent/mounts/cache
# A file that is removed below a mount of a container is removed in Swift.
if grep -q ' /var/lib/roost-agent/' /proc/self/mounts; then
  echo "roost-agent: keeping /var/lib/roost-agent, because containers are mounted there that upload files." >&2
elif [ -d $cache ] && [ -n "$(ls -A $cache)" ]; then
  echo "roost-agent: keeping /var/lib/roost-agent, because $cache may have files that are not in Swift yet." >&2
elif [ -d /var/lib/roost-agent ]; then
  echo "roost-agent: deleting /var/lib/roost-agent with the identity of this node." >&2
  rm -rf --one-file-system /var/lib/roost-agent
fi
rm -rf /usr/lib/roost-agent /var/lib/roost-agent-upgrade
