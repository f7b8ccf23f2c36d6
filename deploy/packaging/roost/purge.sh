if [ -d /var/lib/roost ] || [ -d /etc/roost ]; then
  echo "roost: deleting /var/lib/roost with the database, the keys and the authority, and /etc/roost." >&2
  rm -rf /var/lib/roost /etc/roost
fi
if [ -n "$(ls -A /var/lib/roost-backup 2>/dev/null)" ]; then
  echo "roost: keeping the backups in /var/lib/roost-backup." >&2
fi
rm -rf /usr/lib/roost
