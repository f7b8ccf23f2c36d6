# Keeps the version that runs, as hard links: its files are removed before the new version is started.
former=$(readlink /usr/lib/@NAME@/current || true)
if [ -n "$former" ] && [ -d "/usr/lib/@NAME@/$former" ]; then
  rm -rf /usr/lib/@NAME@/kept
  mkdir /usr/lib/@NAME@/kept
  cp -al "/usr/lib/@NAME@/$former" /usr/lib/@NAME@/kept/
fi
