#compdef roost
# Completion of roost for zsh: a file _roost in a folder of $fpath, or source <(roost completion zsh)
_roost() {
  local -a found
  found=("${(@f)$(roost complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
if [[ "${funcstack[1]}" = _roost ]]; then _roost "$@"; else compdef _roost roost; fi
