/**
 * The scripts that shells source to complete `telemetryd`. They hold no list of commands, but ask the program
 * itself (`telemetryd __complete -- WORD...`). Words are passed as arguments and never evaluated.
 */
export const completionScripts = {
  bash: `# bash completion for telemetryd
_telemetryd() {
  local word line out glue= prefix=
  local -a words=()
  # readline splits words at = and : as well.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ (-n $glue || $word == [=:]*) && \${#words[@]} -gt 0 ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    if [[ $word == *[=:] ]]; then glue=1; else glue=; fi
  done
  # Unless COMP_WORDBREAKS was changed.
  if [[ $2 == --*=* ]]; then prefix=\${2%%=*}=; fi
  COMPREPLY=()
  out=$(telemetryd __complete -- "\${words[@]}" 2>/dev/null) || return
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default ;;
      :*) ;;
      *) COMPREPLY+=("$prefix\${line%%$'\\t'*}") ;;
    esac
  done <<<"$out"
}
complete -F _telemetryd telemetryd
`,

  zsh: `#compdef telemetryd
# zsh completion for telemetryd
_telemetryd() {
  local line value files=
  local -a typed candidates
  typed=("\${(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || typed=()
  for line in "\${(@f)$(telemetryd __complete -- "\${typed[@]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    case $line in
      :0) files=1 ;;
      :*|'') ;;
      *)
        value=\${line%%$'\\t'*}
        if [[ $line == *$'\\t'* ]]; then
          candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
        else
          candidates+=("\${value//:/\\\\:}")
        fi
        ;;
    esac
  done
  # A value after --option= is completed by itself.
  if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
  if (( \${#candidates} )); then
    _describe telemetryd candidates
  elif [[ -n $files ]]; then
    _files
  fi
}
# Runs when loaded from fpath; registers when sourced.
if [[ \${funcstack[1]} == _telemetryd ]]; then
  _telemetryd "$@"
else
  compdef _telemetryd telemetryd
fi
`,

  fish: `# fish completion for telemetryd
function __telemetryd_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l token (commandline -ct)
    # A value after --option= is completed by itself.
    set -l prefix (string match -r -- '^--[^=]*=' "$token")
    for line in (telemetryd __complete -- $words "$token" 2>/dev/null)
        switch $line
            case ':0'
                for path in (__fish_complete_path (string replace -- "$prefix" '' "$token"))
                    echo -- "$prefix$path"
                end
            case ':*'
            case '*'
                echo -- "$prefix$line"
        end
    end
end
complete -c telemetryd -f -a '(__telemetryd_complete)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
