home=/usr/lib/$name

has_systemd() { [ -d /run/systemd/system ]; }

# Starts and stops through Debian's policy, where there is one.
invoke() {
  if command -v deb-systemd-invoke >/dev/null; then
    deb-systemd-invoke "$@"
  else
    systemctl "$@"
  fi
}

former_version() { readlink $home/current || true; }

# In one step: there is always a program.
switch_to() {
  ln -sfn "$1" $home/current.new
  mv -T $home/current.new $home/current
}

# Brings back the files of the version that runs, which the package manager has removed.
restore_former() {
  if [ -d "$home/kept/$former" ] && [ ! -d "$home/$former" ]; then
    mv "$home/kept/$former" "$home/$former"
    is_restored=yes
  fi
  rm -rf $home/kept
}

remove_former() {
  [ "$is_restored" = no ] || rm -rf "${home:?}/${former:?}"
}

is_restored=no
