# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of Penstock's commands. Words come from their help texts; a file is one where no word fits.

# The commands in a help text: they are indented by four, and some are on a line of their own.
_penstock_commands() {
    grep -oE "^    [a-z][a-z0-9-]*( |$)" <<<"$1" | tr -d ' '
}

_penstock() {
    local current=$2 program=$1 help word
    local -a commands=()
    help=$("$program" --help 2>/dev/null)
    # Some commands have commands of their own.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if _penstock_commands "$help" | grep -qxF -- "$word"; then
            commands+=("$word")
            help=$("$program" "${commands[@]}" --help 2>/dev/null)
        fi
    done
    # Some have actions, most of which are done to an entry with a name.
    word=$(grep -oE "^  ACTION +one of .*" <<<"$help" | sed 's/.* one of //; s/,//g')
    if [[ $word && $COMP_CWORD -eq 2 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$word --help" -- "$current")
        return
    elif [[ $word && ${COMP_WORDS[2]} =~ ^(show|set|delete)$ && $current != -* ]]; then
        # compgen expands its words: names with any other letter are not offered.
        mapfile -t COMPREPLY < <(compgen -W "$(timeout 2 "$program" "${commands[0]}" list --names 2>/dev/null |
            LC_ALL=C grep -xE "[A-Za-z0-9._:-]+")" -- "$current")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$(_penstock_commands "$help")
        $(grep -oE -- "(^|[ ,[])--?[a-z][a-z-]*" <<<"$help" | tr -d ' ,[')" -- "$current")
}

complete -o default -F _penstock penstock penstock-controller ovs-config functions nat64
