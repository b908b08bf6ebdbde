#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# manuals.sh READER SHARE BIN: has READER (mandoc, bash, zsh, fish) read what it will read once installed, from
# the build tree SHARE, with the program in BIN on the PATH.
set -eu
reader=$1
share=$2
PATH=$3:$PATH

# Standard input must name the commands that were to be completed; $1 says what was typed.
expect() {
  offered=$(cat)
  for word in decode diff; do
    echo "$offered" | grep -qw "$word" || {
      printf '%s: after "%s" there is no "%s" in: %s\n' "$reader" "$1" "$word" "$offered" >&2
      exit 1
    }
  done
  if echo "$offered" | grep -q '^layout'; then
    printf '%s: after "%s" it offers layout: %s\n' "$reader" "$1" "$offered" >&2
    exit 1
  fi
}

case $reader in
  mandoc)
    mandoc -T lint -W warning "$share/man/swz.1"
    # mandoc prints bold as a letter, a backspace and the letter again.
    page=$(mandoc -T ascii "$share/man/swz.1" | sed 's/.\x08//g')
    for word in NAME SYNOPSIS decode layout diff swizzle batch --format; do
      echo "$page" | grep -q -e "$word" || {
        printf 'the page does not say %s:\n%s\n' "$word" "$page" >&2
        exit 1
      }
    done
    ;;
  bash)
    # What bash does when a person types `swz d<Tab>`.
    # shellcheck disable=SC2016
    bash --norc -euc '
      source "$1"
      spec=$(complete -p swz)
      function=${spec#*-F }; function=${function%% *}
      COMP_WORDS=(swz d) COMP_CWORD=1 COMP_LINE="swz d" COMP_POINT=5
      "$function" swz d swz || true
      printf "%s\n" "${COMPREPLY[@]}"' - "$share/bash/swz" | expect 'swz d'
    ;;
  zsh)
    zsh -n "$share/zsh/_swz"
    if ! zsh -fc 'zmodload zsh/zpty && zpty shell true' 2>/dev/null; then
      echo 'no pseudo-terminals on this machine: the syntax of _swz was checked, what it offers was not'
      exit 0
    fi
    # zsh completes only for an interactive shell, so one runs on a pseudo-terminal and is typed at, once its
    # prompt is there. The words that end the waiting are typed in halves: their echo does not match.
    # shellcheck disable=SC2016
    zsh -fc '
      zmodload zsh/zpty
      zpty shell TERM=dumb COLUMNS=100 zsh -fi
      zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; cd /; PS1=rea\"\"dy:"
      zpty -r shell seen "*ready:*"
      zpty -w shell "swz d"$'"'\\t\\t\\x15'"'"echo do\"\"ne"
      zpty -r shell seen "*done*"
      print -r -- "$seen"
      zpty -d shell' - "$share/zsh" | expect 'swz d'
    ;;
  fish)
    # shellcheck disable=SC2016
    HOME=$(mktemp -d) fish --no-config -c 'source $argv[1]; complete -C "swz d"' "$share/fish/swz.fish" | expect 'swz d'
    ;;
  *)
    echo "unknown reader $reader" >&2
    exit 2
    ;;
esac
