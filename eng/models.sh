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
  if grep -qE 'search depth too small|bytes limit' pan.log; then
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

# Places that are lost; cells that were used before; several items and threads of the background; the pool closes meanwhile.
check right waiters
check right waiters -DROUNDS=2 -DMISHAPS=0
check right waiters -DPLACES=2 -DCELLS=2 -DWORKERS=2 -DMISHAPS=0
check right waiters -DPLACES=2 -DCELLS=2 -DCLIENTS=2 -DCLOSES
check wrong waiters -DNO_DETOUR_FENCE
check wrong waiters -DDETOUR_AFTER_SWEEP
check wrong waiters -DNO_CELL_FENCE
check wrong waiters -DNO_SECOND_LOOK
check wrong waiters -DGIVEN_TO_CANCELLED
check wrong waiters -DNO_WITHDRAW
check wrong waiters -DCANCELS_GIVEN
check wrong waiters -DNO_PLAN_AFTER_DESTROY
check wrong waiters -DCLIENTS=2 -DCLOSES -DNO_GATHER_AT_CLOSE
check wrong waiters -DPLACES=2 -DCLIENTS=2 -DROUNDS=2 -DCLOSES -DNO_GATHER_BEHIND_THE_LAST
