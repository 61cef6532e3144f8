#!/usr/bin/env bash
# Checks the concurrent protocols exhaustively with Spin, and that the checker notices when a protocol is broken.
#
#   eng/models.sh                   exit code 0 only if every model is right and every broken one is caught
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

check() { # expected, model, defines...
  local expected=$1 model=$2 errors states
  shift 2
  rm -f pan*
  spin -a "$@" "$root/test/Poolhouse.Model/$model.pml" > spin.log
  gcc -O2 -DSAFETY -o pan pan.c 2> gcc.log
  ./pan -m200000 > pan.log || true
  errors=$(grep -oE 'errors: [0-9]+' pan.log | grep -oE '[0-9]+')
  states=$(grep -oE '^ *[0-9]+ states, stored' pan.log | tr -dc '0-9')
  if grep -q 'search depth too small' pan.log; then
    echo "FAILED: $model $*: not searched to the end"
    return 1
  fi

  case "$expected,$errors" in
    right,0) echo "$model $*: right in all $states states" ;;
    wrong,[1-9]*) echo "$model $*: caught, as it must be, after $states states" ;;
    *)
      echo "FAILED: $model $* should be $expected and has $errors errors"
      return 1
      ;;
  esac
}

check right sweep
check wrong sweep -DNO_BARRIER
check wrong sweep -DNO_WAIT
