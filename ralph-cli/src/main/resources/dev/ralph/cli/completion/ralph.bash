# Completion of ralph in bash. Add to ~/.bashrc:
#   source <(ralph completion bash)
_ralph() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(printf '%s\n' "${COMP_WORDS[@]:1:COMP_CWORD}" |
    "${COMP_WORDS[0]/#\~/${HOME-}}" completion words 2>/dev/null)
}
complete -o default -F _ralph ralph
