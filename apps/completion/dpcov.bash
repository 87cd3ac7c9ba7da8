# Completion of dpcov in bash. What there is to complete is read off the program's own help.

_dpcov() {
    local program=$1 word=$2 before=$3 help choices
    local -a command=()
    local i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD && ${#command[@]} < 2; ++i)); do
        case ${COMP_WORDS[i]} in
            -*) break ;;
            help) ((${#command[@]} == 0)) || break ;; # dpcov help COMMAND
            *) command+=("${COMP_WORDS[i]}") ;;
        esac
        # Only moment and ledger have commands of their own; what follows another one is a file.
        case ${command[0]-} in '' | moment | ledger) ;; *) break ;; esac
    done
    help=$("$program" "${command[@]}" --help 2>/dev/null) || return 0
    # "  --variant best|paper|published": the words that may follow it.
    if [[ $before == -* ]]; then
        choices=$(sed -n "s/^  ${before} \([a-z0-9-]*\(|[a-z0-9-]*\)\{1,\}\).*/\1/p" <<<"$help")
        if [[ -n $choices ]]; then
            mapfile -t COMPREPLY < <(compgen -W "${choices//|/ }" -- "$word")
            return 0
        fi
        if [[ $before == --method ]]; then
            choices=$("$program" methods 2>/dev/null | sed -n '2,$s/ .*//p')
            mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
            return 0
        fi
    fi
    if [[ $word == -* ]]; then
        choices=$(sed -n 's/^  \(-[a-z],\)\{0,1\}\(--[a-z-]*\).*/\2/p' <<<"$help")
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
        return 0
    fi
    choices=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' <<<"$help")
    if [[ -z $choices && ${command[0]-} == derive && $before != -* && COMP_CWORD -eq 3 ]]; then
        choices=$(sed -n 's/.*\(covariance|[a-z|]*\).*/\1/p' <<<"$help" | head -n 1)
        choices=${choices//|/ }
    fi
    if [[ -n $choices ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    fi
} && complete -o default -o bashdefault -F _dpcov dpcov
