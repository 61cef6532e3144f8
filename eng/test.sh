#!/usr/bin/env bash
# The one test command: format check, build, models, every test project, samples included.
#
#   eng/test.sh                     skips what this machine cannot run, and reports why
#   eng/test.sh --require-servers   a skip for a missing server or browser is a failure
#   eng/test.sh --no-format         without the format check
#   eng/test.sh --project NAME      builds and runs one test project (may be repeated)
#   eng/test.sh --newest            extensions, databases and EF Core with the newest packages for .NET 10 (eng/newest.props), in
#                                   artifacts/newest; not EF Core 11, which needs .NET 11
#   eng/test.sh fast                the inner loop: format of what changed since the last commit, unit tests, the contract of one pool kind;
#                                   in artifacts/fast, without analyzers and without what takes longest (see below)
#
# Three jobs run in parallel, because each of them waits for a third of its time; test projects share only the machine. The output of a
# job is printed when it has ended.
# Ends with one line, 'N passed, N failed', counted from the test runners' own reports.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

require=0
format=1
fast=0
chosen=()
packages=()
binaries=artifacts/bin
while [ $# -gt 0 ]; do
  case "$1" in
    fast) fast=1 ;;
    --require-servers) require=1 ;;
    --no-format) format=0 ;;
    --newest)
      packages=(-p:Newest=true -p:ArtifactsPath="$PWD/artifacts/newest")
      binaries=artifacts/newest/bin
      ;;
    --project)
      name=${2:-}
      if [ ! -f "test/$name/$name.csproj" ]; then
        echo "eng/test.sh: no test project '$name'; allowed: $(cd test && echo */*.csproj | sed 's|[^ ]*/||g; s|\.csproj||g')" >&2
        exit 2
      fi
      chosen+=("$name")
      shift
      ;;
    *)
      echo "eng/test.sh: unknown argument '$1'; allowed: fast, --project NAME, --newest, --require-servers, --no-format" >&2
      exit 2
      ;;
  esac
  shift
done
if [ "${#packages[@]}" -gt 0 ] && [ "${#chosen[@]}" -eq 0 ]; then
  chosen=(Poolhouse.Data.Tests Poolhouse.Extensions.Tests Poolhouse.EntityFrameworkCore.Tests)
fi

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en
results=artifacts/test-results
lanes=3
limit=$(timeout --foreground -s INT -k 60 900 true 2> /dev/null && echo 'timeout --foreground -s INT -k 60 900')
rm -rf "$results"
mkdir -p "$results"

count() { # report, attribute: the sum of an attribute of the assemblies in an xunit report
  grep -o '<assembly [^>]*' "$1" | grep -o " $2=\"[0-9]*\"" | tr -dc '0-9\n' | awk "{ sum += \$1 } END { print sum + 0 }"
}

tally() { # name, passed, failed, skipped: finish adds them up
  echo "$2 $3 $4" > "$results/$1.count"
}

step() { # name, what, command...: a step that is not a test project counts as one test
  local name=$1 what=$2
  shift 2
  echo "== $what"
  if "$@"; then
    tally "$name" 1 0 0
  else
    tally "$name" 0 1 0
    echo "FAILED: $what"
    return 1
  fi
}

# All checkouts share the folder of NuGet packages, and with it the locks, which lie in the temporary folder.
export NUGET_SCRATCH=${NUGET_SCRATCH:-${TMPDIR:-/tmp}/NuGetScratch$(id -un)}

files=

# An interrupted run leaves nothing behind: neither jobs, which would write into the results of the next run, nor their files.
end_jobs() {
  local job
  for job in $(jobs -rp); do
    kill -INT -- "-$job" 2> /dev/null
  done

  wait
  [ -z "$files" ] || rm -rf "$files"
}
trap end_jobs EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# One thread of the explorer runs at a time, and they pass the turn to each other: on one processor, that takes two thirds of the
# processor time, because no thread spins on another one. Without a higher priority, which not every user may set, each turn waits
# behind the other jobs on that processor.
one_processor=$(command -v taskset > /dev/null && echo "taskset -c $(taskset -cp $$ | grep -o '[0-9]*$')")
[ "$(nice -n -10 nice 2> /dev/null)" = -10 ] && one_processor="nice -n -10 $one_processor"

# Files of the tests and of their servers are kept in memory if there is enough: each server copies a thousand of them.
if [ "$(df --output=avail -B1G /dev/shm 2> /dev/null | tail -1)" -ge 8 ] 2> /dev/null \
  && files=$(mktemp -d /dev/shm/poolhouse.XXXXXX); then
  { cp /bin/true "$files/" && "$files/true"; } 2> /dev/null || { rm -rf "$files"; files=; } # programs cannot be run from there
fi
[ -n "$files" ] || files=$(mktemp -d "${TMPDIR:-/tmp}/poolhouse.XXXXXX")
chmod 1777 "$files" # servers run under their own accounts

run_project() { # name, arguments of the runner...
  local name=$1 report="$results/$1.xml" pinned= code ran broken left excused own
  shift

  # A folder of its own: `poolhouse ps` asks all processes whose sockets lie in the same one, also those of other tests.
  own=$(mktemp -d "$files/XXX") && chmod 1777 "$own"
  echo "== $name"
  [ "$name" = Poolhouse.Explorer ] && pinned=$one_processor
  # A test that hangs fails by its own limit (test/Shared). If the runner itself hangs, it gets the signal to stop and write its report.
  TMPDIR=$own $limit $pinned "$binaries/$name/release/$name" -noLogo -noColor -result-xml "$report" "$@"
  code=$?
  if [ ! -s "$report" ]; then
    echo "FAILED: $name left no report (exit code $code)"
    tally "$name" 0 1 0
    return
  fi

  ran=$(count "$report" passed)
  broken=$(($(count "$report" failed) + $(count "$report" errors)))
  left=$(count "$report" skipped)
  # A runner that reports success but exits with another code did not finish.
  [ "$code" -ne 0 ] && [ "$broken" -eq 0 ] && broken=1
  if [ "$left" -gt 0 ] && [ "$require" -eq 1 ]; then
    # Only what no registry provides may be missing; the reason says so.
    excused=$(grep -o '<reason>[^/]*toolchain is not available' "$report" | wc -l)
    broken=$((broken + left - excused))
    [ "$left" -gt "$excused" ] && echo "FAILED: $((left - excused)) skipped in $name, which --require-servers forbids"
  fi

  tally "$name" "$ran" "$broken" "$left"
}

models() {
  if command -v spin > /dev/null && { command -v tcc || command -v gcc; } > /dev/null; then
    step models "models: eng/models.sh" eng/models.sh
  else
    echo "SKIPPED models: spin, or tcc and gcc, are not installed"
    tally models 0 "$require" 1
  fi
}

start() { # name, command...: in the background, as soon as a lane is free; ends with the time it took
  local name=$1 TIMEFORMAT='-- took %0R s, and of the processors %0U s and %0S s in the system'
  shift
  while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do
    wait -n
  done

  echo "-- $name begins"
  tally "$name" 0 1 0 # until it reports another result: a job that dies has failed
  set -m # a process group for each job
  {
    { time "$@" 2>&1; } > "$results/$name.out" 2>&1
    until mkdir "$results/.printing" 2> /dev/null; do sleep 0.1; done
    cat "$results/$name.out"
    rmdir "$results/.printing"
  } < /dev/null &
  set +m
}

finish() {
  local passed failed skipped
  wait
  read -r passed failed skipped < <(cat "$results"/*.count | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
  echo
  [ "$skipped" -gt 0 ] && echo "($skipped skipped)"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit $?
}

build() { # project or solution...
  local target code=0
  for target in "$@"; do
    # One compiler serves all projects, regardless of the environment: analyzers are loaded once instead of forty times.
    # It does not run long enough for profile-guided optimization to pay off: without it, the core compiles in three quarters of the time.
    # It should not wait for a pause in JIT compilation before it optimizes code either: without that delay, the solution builds in five
    # sixths of the time.
    DOTNET_TieredPGO=0 DOTNET_TC_CallCountingDelayMs=0 dotnet build "$target" -c Release --verbosity quiet -nologo -p:UseSharedCompilation=true "${packages[@]}" \
      || code=1
  done

  [ "$fast" -eq 1 ] || timeout 30 dotnet build-server shutdown --vbcscompiler > /dev/null 2>&1
  return $code
}

if [ "$fast" -eq 1 ]; then
  mapfile -t changed < <(git diff --name-only --diff-filter=d HEAD -- '*.cs' && git ls-files --others --exclude-standard -- '*.cs')
  [ "${#changed[@]}" -gt 0 ] \
    && step format "format of ${#changed[@]} changed files" dotnet format whitespace . --folder --verify-no-changes --include "${changed[@]}"
  # In a folder of its own, so that the full run compiles everything again with analyzers. Its compiler keeps running for the next time.
  packages=(-p:RunAnalyzers=false -p:NuGetAudit=false -p:ArtifactsPath="$PWD/artifacts/fast")
  binaries=artifacts/fast/bin
  step build "build without analyzers, warnings are errors" build test/Poolhouse.Tests test/verification/Poolhouse.Contracts || finish
  start Poolhouse.Contracts run_project Poolhouse.Contracts -preEnumerateTheories -class "*.ResourcePoolPromises"
  start Poolhouse.Tests run_project Poolhouse.Tests -class- "*Model" -class- "*Races" -class- "*StressTests"
  finish
fi

install() {
  eng/servers.sh install || [ "$require" -eq 0 ] || tally servers 0 1 0
}

if [ "${#chosen[@]}" -gt 0 ]; then
  install
  step build "build, warnings are errors" build "${chosen[@]/#/test/}" || finish
  for name in "${chosen[@]}"; do
    start "$name" run_project "$name"
  done
  finish
fi

# Installing is mostly waiting: the solution is built meanwhile.
set -m
install < /dev/null &
set +m
step build "restore and build, warnings are errors" build Poolhouse.slnx || finish
wait

# The longest first, so that none of them runs alone at the end. The contract has many short waits, and takes twice the time beside
# jobs that use both processors, so it runs beside the databases.
longest="Poolhouse.Contracts Poolhouse.Data.Tests Poolhouse.Explorer Poolhouse.Tests Poolhouse.Tool.Tests Poolhouse.Repository.Tests"
for name in $longest; do
  start "$name" run_project "$name"
done
# Style and analyzers are part of the build; a test checks that directives are sorted (Layout/UsingDirectives).
# As for the compiler: half the processor time.
[ "$format" -eq 1 ] && start format step format "format: dotnet format whitespace --verify-no-changes" \
  env DOTNET_TieredPGO=0 DOTNET_TC_CallCountingDelayMs=0 dotnet format whitespace . --folder --include src/ test/ bench/ samples/ --verify-no-changes
start models models
for project in test/*/*.csproj test/verification/*/*.csproj; do
  name=$(basename "$project" .csproj)
  [[ " $longest " == *" $name "* ]] || start "$name" run_project "$name"
done

finish
