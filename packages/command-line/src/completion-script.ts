export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Returns the script by which a shell completes a program: it calls `PROGRAM complete -- ARGUMENTS`, which prints a candidate a line. */
export function completionScript(shell: Shell, program: string): string {
  return scripts[shell](program, `_${program.replaceAll('-', '_')}`)
}

const scripts: Readonly<Record<Shell, (program: string, name: string) => string>> = {
  bash: (program, name) => `# Completion of ${program} for bash: source <(${program} completion bash)
${name}() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$(printf '%q' "$line")"); done < <(${program} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F ${name} ${program}
`,
  zsh: (program) => `#compdef ${program}
# Completion of ${program} for zsh: a file _${program} in a folder of $fpath, or source <(${program} completion zsh)
_${program}() {
  local -a found
  found=("\${(@f)$(${program} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
if [[ "\${funcstack[1]}" = _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`,
  fish: (program, name) => `# Completion of ${program} for fish: ${program} completion fish | source
function _${name}_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    ${program} complete -- $words 2>/dev/null
end
complete -c ${program} -f -a '(_${name}_complete)'
`,
}
