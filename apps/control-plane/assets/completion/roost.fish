# Completion of roost for fish: roost completion fish | source
function __roost_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    roost complete -- $words 2>/dev/null
end
complete -c roost -f -a '(__roost_complete)'
