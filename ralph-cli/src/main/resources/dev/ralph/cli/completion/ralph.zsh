#compdef ralph
# Completion of ralph in zsh. Add to ~/.zshrc, after compinit:
#   source <(ralph completion zsh)
_ralph() {
  local line
  local -a candidates
  while IFS= read -r line; do
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done < <(printf '%s\n' "${(@)words[2,CURRENT]}" | ${~words[1]} completion words 2>/dev/null)
  if (( $#candidates )); then
    _describe ralph candidates
  else
    _files
  fi
}
compdef _ralph ralph
