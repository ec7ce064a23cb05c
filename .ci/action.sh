#!/usr/bin/env bash
# The script of action.yml: checks studies, compares them with their locks, runs them, and writes
# annotations, a summary and results. Needs only `evallang` on the PATH; every input is a variable.
#   STUDIES  paths and patterns of study files, separated by white space
#   LOCK     if-present, required or off: whether a study must be the one that its lock fixes
#   RESULTS  folder for the results and the JUnit XML of each study
#   BASE     revision of git whose studies the summary compares with these, or empty
#   STRICT, TRUST  true or false;  JOBS  processes, or empty for all cores
# Exit code: that of the first command that failed (1 errors, 4 a requirement, 5 another protocol).
set -uo pipefail
LOCK=${LOCK:-if-present} RESULTS=${RESULTS:-evallang-results} JOBS=${JOBS:-} BASE=${BASE:-}
STRICT=${STRICT:-false} TRUST=${TRUST:-false}
SUMMARY=${GITHUB_STEP_SUMMARY:-/dev/null} OUTPUT=${GITHUB_OUTPUT:-/dev/null}
failed=0

wrong_input() {
  echo "::error title=evallang::$1"
  exit 2
}

note_failure() { # CODE of a command
  if [ "$failed" = 0 ]; then failed=$1; fi
}

case $LOCK in if-present | required | off) ;; *) wrong_input "lock: write if-present, required or off" ;; esac
for flag in "$STRICT" "$TRUST"; do
  case $flag in true | false) ;; *) wrong_input "strict and trust: write true or false" ;; esac
done

shopt -s nullglob
shopt -s globstar 2>/dev/null || true # bash 3, as on macOS, has none
studies=()
set -f # split at white space first, so that each pattern is expanded and checked alone
for pattern in ${STUDIES:-}; do
  set +f
  IFS='' found=($pattern)
  unset IFS
  if [ ${#found[@]} = 0 ] || [ ! -e "${found[0]}" ]; then
    printf 'no file: %q\n' "$pattern"
    wrong_input "studies: there is no file for a path or pattern"
  fi
  studies+=("${found[@]}")
  set -f
done
set +f
[ ${#studies[@]} -gt 0 ] || wrong_input "studies: name at least one study file"

# what is uploaded is read through links, and a pull request can bring one, to .git/config say
if [ -n "$(find "$RESULTS" -type l 2>/dev/null)" ]; then
  wrong_input "results: the folder is or contains a link; name a folder that the repository lacks"
fi
mkdir -p "$RESULTS" || exit 2
echo "results=$RESULTS" >>"$OUTPUT"

names="/"
evaluate() { # one study; notes what fails
  local study=$1 name code told
  name=${study%.eval*}
  name=${name#./}
  name=${name//\//-}
  while case $names in */"$name"/*) ;; *) false ;; esac do name+=_; done
  names+=$name/
  local check=(check --format github) run=(run --out "$RESULTS/$name" --annotate)
  run+=(--summary "$SUMMARY" --junit "$RESULTS/$name.xml")
  if [ "$STRICT" = true ]; then check+=(--strict); fi
  # only a run with consent reads from a server, and it checks all data too
  if [ "$TRUST" = true ]; then run+=(--trust); else check+=(--data); fi
  if [ -n "$JOBS" ]; then run+=(--jobs "$JOBS"); fi

  evallang "${check[@]}" -- "$study" || note_failure $?

  if [ -n "$BASE" ]; then
    # fails for a new study, and where the history was not fetched; neither is an error of the study
    case "$study" in /*) former=$study ;; *) former=./${study#./} ;; esac
    if told=$(evallang diff --format markdown -- "$BASE:$former" "$study" 2>&1); then
      printf '## Changes of the protocol\n\n%s\n\n' "${told:-None.}" >>"$SUMMARY"
    else
      printf '%s\n' "$told"
      echo "::notice title=evallang::a study is not compared with the base: see the log"
    fi
  fi

  if [ "$LOCK" = required ] || { [ "$LOCK" = if-present ] && [ -e "${study%.eval*}.lock" ]; }; then
    run+=(--locked)
  fi
  evallang "${run[@]}" -- "$study"
  code=$?
  note_failure $code
  case $code in
    2) echo "::error title=evallang::a study was not run: see the log" ;;
    5) echo "::error title=evallang::a study is not the one that its lock fixes, and was not run" ;;
  esac
  # the looks of a checkout are lost with it, and those of an artifact can be committed
  if [ -f "${study%.eval*}.looks.jsonl" ] && [ ! -L "${study%.eval*}.looks.jsonl" ]; then
    cp -- "${study%.eval*}.looks.jsonl" "$RESULTS/$name.looks.jsonl"
  fi
}

for study in "${studies[@]}"; do
  evaluate "$study"
done
echo "exit-code=$failed" >>"$OUTPUT"
exit "$failed"
