# Completion of ralph in fish. Add to ~/.config/fish/config.fish:
#   ralph completion fish | source
function __ralph_complete
    set -l begun (commandline -ct)
    set -l words (commandline -opc) "$begun"
    set -l candidates (printf '%s\n' $words[2..-1] | $words[1] completion words 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\n' $candidates
    else
        __fish_complete_path $words[-1]
    end
end
complete -c ralph -f -a '(__ralph_complete)'
