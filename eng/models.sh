#!/usr/bin/env bash
# Checks the concurrent protocols exhaustively with Spin, and that Spin finds the mistakes in deliberately broken ones.
#
#   eng/models.sh                   exit code 0 only if every model is correct and every mistake is found
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Not optimized: gcc would need more time than the search would save. What tcc compiles is as fast, and it needs a twentieth of the time.
compile=$(command -v tcc || echo "gcc -O0")

check() { # expected, model, defines...
  local expected=$1 model=$2 errors states
  shift 2
  rm -rf "${work:?}/$expected"
  mkdir "$work/$expected"
  cd "$work/$expected"
  spin -a "$@" "$root/test/verification/Poolhouse.Model/$model.pml" > spin.log
  $compile -DSAFETY -o pan pan.c 2> compiler.log
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

# Waiters: lost capacity; cells that were used before; several items and background threads; a pool that closes.
# Wake-ups: threads that must be started or exist; workers that end, have commands, create work for themselves, or find the pool
# draining.
right() {
  check right lease
  check right sweep
  check right stale
  check right waiters
  check right waiters -DROUNDS=2 -DMISHAPS=0
  check right waiters -DCAPACITY=2 -DCELLS=2 -DWORKERS=2 -DMISHAPS=0
  check right waiters -DCAPACITY=2 -DCELLS=2 -DCLIENTS=2 -DCLOSES
  check right wakeups
  check right wakeups -DWARM=2
  check right wakeups -DMAX=1 -DCALLERS=1 -DPOSTS=2 -DLEAVES=1 -DWARM=1
  check right wakeups -DCALLERS=1 -DPOSTS=2 -DLEAVES=1 -DWARM=2
  check right wakeups -DMAX=1 -DCALLERS=1 -DDRAINS=1 -DWARM=1
  check right wakeups -DCALLERS=1 -DCOMMANDS=1 -DWARM=2
  check right wakeups -DCALLERS=1 -DCOMMANDS=1 -DFOLLOWERS=1 -DWARM=2
  check right wakeups -DMAX=1 -DCALLERS=1 -DCOMMANDS=2 -DLEAVES=1 -DWARM=1
  check right wakeups -DMAX=1 -DCALLERS=1 -DCOMMANDS=1 -DDRAINS=1 -DWARM=1
}

wrong() {
  check wrong lease -DNO_READ_BARRIER
  check wrong lease -DITEM_FIRST
  check wrong stale -DPLAIN_READS
  check wrong stale -DVERSION_FIRST
  check wrong stale -DPLAIN_WRITES
  check wrong sweep -DNO_BARRIER
  check wrong sweep -DNO_WAIT
  check wrong waiters -DNO_REASONS_FENCE
  check wrong waiters -DREASONS_AFTER_SWEEP
  check wrong waiters -DNO_CELL_FENCE
  check wrong waiters -DNO_SECOND_LOOK
  check wrong waiters -DGIVEN_TO_CANCELLED
  check wrong waiters -DNO_WITHDRAW
  check wrong waiters -DNO_REASONS_AFTER_HAND_OVER
  check wrong waiters -DCANCELS_GIVEN
  check wrong waiters -DNO_PLAN_AFTER_DESTROY
  check wrong waiters -DCLIENTS=2 -DCLOSES -DNO_GATHER_AT_CLOSE
  check wrong waiters -DCAPACITY=2 -DCLIENTS=2 -DROUNDS=2 -DCLOSES -DNO_GATHER_BEHIND_THE_LAST
  check wrong wakeups -DNO_POST_FENCE
  check wrong wakeups -DWARM=2 -DNO_REST_FENCE
  check wrong wakeups -DWARM=2 -DNO_SECOND_LOOK
  check wrong wakeups -DWARM=2 -DNO_NEXT_SEARCHER
  check wrong wakeups -DWARM=2 -DGETS_UP_WITHOUT_SEARCHING
  check wrong wakeups -DMAX=1 -DCALLERS=1 -DLEAVES=1 -DWARM=1 -DNO_LOOK_AFTER_LEAVING
  check wrong wakeups -DMAX=1 -DCALLERS=1 -DDRAINS=1 -DWARM=1 -DNO_LOOK_AFTER_LEAVING
  check wrong wakeups -DCALLERS=1 -DCOMMANDS=1 -DWARM=2 -DSEARCHES_ON_A_COMMAND
  check wrong wakeups -DCALLERS=1 -DCOMMANDS=1 -DWARM=2 -DLOOKS_BEFORE_IT_SENDS
  check wrong wakeups -DCALLERS=1 -DCOMMANDS=1 -DWARM=2 -DNO_LOOK_FOR_COMMANDS
  check wrong wakeups -DCALLERS=1 -DCOMMANDS=1 -DFOLLOWERS=1 -DWARM=2 -DNO_WORD_BEFORE_A_COMMAND
  check wrong wakeups -DMAX=1 -DCALLERS=1 -DCOMMANDS=1 -DLEAVES=1 -DWARM=1 -DFORGETS_COMMANDS
  check wrong wakeups -DCALLERS=1 -DPOSTS=2 -DLEAVES=1 -DWARM=2 -DNO_WORD_WHEN_TAKEN
}

# Both in parallel, for two processors.
cd "$work"
right &
other=$!
trap 'kill "$other" 2> /dev/null || true; wait; rm -rf "$work"' EXIT
wrong
wait "$other"
