cache=/var/lib/roost-agent/mounts/cache
if [ -d $cache ] && [ -n "$(ls -A $cache)" ]; then
  echo "roost-agent: keeping /var/lib/roost-agent, because $cache may have files that are not in Swift yet." >&2
elif [ -d /var/lib/roost-agent ]; then
  echo "roost-agent: deleting /var/lib/roost-agent with the identity of this node." >&2
  rm -rf /var/lib/roost-agent
fi
rm -rf /usr/lib/roost-agent /var/lib/roost-agent-upgrade
