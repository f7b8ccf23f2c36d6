# Completion of roost for bash: source <(roost completion bash)
_roost() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$(printf '%q' "$line")"); done < <(roost complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _roost roost
