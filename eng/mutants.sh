#!/usr/bin/env bash
# Mutants: deliberate bugs that the tests must detect. Takes some minutes.
#
#   eng/mutants.sh [NAME ...]       exit code 0 only if every mutant is killed
#
# A NAME may be a pattern: 'resource-*'. The mutants resource-* are those of the resource pool, nested-* those of the nested
# pools, server-* those of the server sets, stream-* those of the streams, http-* those of the handlers for HTTP, ldap-* those of the LDAP pool, worker-* those of the worker
# pool, fleet-* those of the budgets of servers, analyzers-* those of the analyzers, paranoid-* those of the paranoid mode, the others those of the other caches; each kind runs the
# tests of its area.
#
# A mutant is killed by the first test that fails.
#
# A mutant is a file eng/mutants/NAME.txt: a path, a line '---', the text to replace (which must occur once), a line '---', its
# replacement. Mutants are applied to a copy of the tree, so that the tree is not changed and can be edited meanwhile.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

# A mutant often causes a test to hang: the test then fails after a minute, not only at the end of the whole run.
export POOLHOUSE_TEST_LIMIT=60

# Longer than in an ordinary run, so that a mutant that shows rarely is found.
export POOLHOUSE_STRESS_SECONDS=${POOLHOUSE_STRESS_SECONDS:-2}

cd "$root"
tar -cf - --exclude=artifacts --exclude=.git . | tar -xf - -C "$copy"
cd "$copy"
names=("$@")
[ "${#names[@]}" -gt 0 ] || names=('*')
patterns=("${names[@]}")
names=()
for pattern in "${patterns[@]}"; do
  found=$(compgen -G "eng/mutants/$pattern.txt") || { echo "no mutant is named $pattern"; exit 2; }
  mapfile -t -O "${#names[@]}" names < <(basename -s .txt $found | sort)
done

build() { dotnet build "$1" -c Release --verbosity quiet -nologo -p:TreatWarningsAsErrors=false -p:RunAnalyzers=false > build.log 2>&1; }

run() { # project, filter...: with a time limit, because a mutant may hang
  local project=$1
  shift
  # In a subshell, which swallows the message about a crash.
  (timeout --foreground -k 10 300 "artifacts/bin/$project/release/$project" -noLogo -noColor -stopOnFail "$@") > run.log 2>&1
}

projects_of() { # mutant: the folders of its test projects, the quick ones first
  local project projects=(Poolhouse.Tests Poolhouse.Stress)
  [[ $1 != analyzers-* ]] || projects=(Poolhouse.Analyzers.Tests)
  [[ $1 != paranoid-* ]] || projects=(Poolhouse.Tests Poolhouse.Explorer)
  [[ $1 != lease-* ]] || projects=(Poolhouse.Tests Poolhouse.Explorer Poolhouse.Stress)
  [[ $1 != fleet-* ]] || projects=(Poolhouse.Data.Tests)
  [[ $1 != http-* ]] || projects=(Poolhouse.Http.Tests)
  [[ $1 != ldap-* ]] || projects=(Poolhouse.Ldap.Tests)
  [[ $1 != resource-* ]] ||
    projects=(Poolhouse.Tests Poolhouse.Explorer Poolhouse.Simulation Poolhouse.Contracts Poolhouse.Stress)
  [[ $1 != worker-* ]] || projects=(Poolhouse.Tests Poolhouse.Contracts Poolhouse.Stress)
  [[ $1 != server-* ]] || projects=(Poolhouse.Tests Poolhouse.Stress)
  [[ $1 != nested-* ]] || projects=(Poolhouse.Tests Poolhouse.Explorer)
  [[ $1 != stream-* ]] || projects=(Poolhouse.Tests Poolhouse.Explorer Poolhouse.Stress)
  for project in "${projects[@]}"; do
    compgen -G "test/$project" || compgen -G "test/verification/$project" || echo "eng/mutants.sh: no test project '$project'" >&2
  done
}

filter_of() { # project, mutant: the tests of the project that apply to it
  case "$1:$2" in
    Poolhouse.Data.Tests:fleet-*) echo -class *.Fleets ;;
    Poolhouse.Contracts:worker-*) echo -namespace Poolhouse.Contracts.Workers ;;
    Poolhouse.Stress:worker-*) echo -class *.WorkerPool* ;;
    Poolhouse.Tests:resource-*) echo -namespace Poolhouse.Tests.Regressions -namespace Poolhouse.Tests.Resources* ;;
    Poolhouse.Tests:nested-*) echo -class *.Nested* ;; # With two options of different kinds, a test must match both.
    Poolhouse.Tests:server-*) echo -namespace Poolhouse.Tests.Servers ;;
    Poolhouse.Tests:stream-*) echo -namespace Poolhouse.Tests.Streams* ;;
    Poolhouse.Tests:paranoid-*) echo -namespace Poolhouse.Tests.Misuse ;;
    Poolhouse.Tests:worker-*) echo -namespace Poolhouse.Tests.Workers* ;;
    Poolhouse.Tests:*) echo -namespace Poolhouse.Tests.Objects -namespace Poolhouse.Tests.Buffers -namespace Poolhouse.Tests.Kernel -namespace Poolhouse.Tests.Caching \
      -namespace Poolhouse.Tests.Properties -namespace Poolhouse.Tests.Regressions ;;
  esac
}

judge() { # mutant: survived, killed, or does not build
  local folder project killer
  for folder in $(projects_of "$1"); do
    project=$(basename "$folder")
    build "$folder" || { echo "does not build"; return; }
    # Deliberately unquoted: a list of options.
    if ! run "$project" $(filter_of "$project" "$1"); then
      killer=$(grep -m1 -E '\[FAIL\]' run.log | sed 's/ *\[FAIL\].*//; s/^ *//' || true)
      echo "killed by ${killer:-hanging or crashing in $project}"
      return
    fi
    ! grep -q 'Total: 0' run.log || { echo "not judged: $project ran no test"; return; }
  done
  echo SURVIVED
}

apply() { # mutant file
  awk -v RS='\n---\n' 'NR == 1 { print > "m.path" } NR == 2 { printf "%s", $0 > "m.from" } NR == 3 { sub(/\n$/, ""); printf "%s", $0 > "m.to" }' "$1"
  local target
  target=$(cat m.path)
  cp "$target" m.original
  MUTANT_FROM="$(cat m.from)" MUTANT_TO="$(cat m.to)" perl -0pi -e '
    my ($from, $to) = @ENV{qw(MUTANT_FROM MUTANT_TO)};
    my $count = () = /\Q$from\E/g;
    die "the text stands there $count times, not once\n" unless $count == 1;
    s/\Q$from\E/$to/' "$target"
  echo "$target"
}

survivors=0
for name in "${names[@]}"; do
  target=$(apply "eng/mutants/$name.txt")
  verdict=$(judge "$name")
  [[ $verdict == killed* ]] || survivors=$((survivors + 1))
  printf '%-52s %s\n' "$name" "$verdict"
  cp m.original "$target"
done

echo "${#names[@]} mutants, $survivors not killed"
[ "$survivors" -eq 0 ]
