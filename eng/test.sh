#!/usr/bin/env bash
# The one test command: format check, build, every test project, samples included.
#
#   eng/test.sh                     skips what this machine cannot do, and says why
#   eng/test.sh --require-servers   a skip for a missing server or browser is a failure
#   eng/test.sh --no-format         leaves the format check out (for a quick round while working)
#
# Ends with one line, 'N passed, N failed', counted from the test runners' own reports.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

require=0
format=1
for argument in "$@"; do
  case "$argument" in
    --require-servers) require=1 ;;
    --no-format) format=0 ;;
    *)
      echo "eng/test.sh: unknown argument '$argument'; allowed: --require-servers, --no-format" >&2
      exit 2
      ;;
  esac
done

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en
configuration=Release
results=artifacts/test-results
passed=0
failed=0
skipped=0
limit=$(timeout --foreground -s INT -k 60 900 true 2> /dev/null && echo 'timeout --foreground -s INT -k 60 900')

finish() {
  echo
  [ "$skipped" -gt 0 ] && echo "($skipped skipped)"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit $?
}

step() { # what, command...: a step that is not a test project counts as one test
  local what=$1
  shift
  echo "== $what"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    return 1
  fi
}

count() { # report, attribute: the sum of an attribute of the assemblies in an xunit report
  grep -o '<assembly [^>]*' "$1" | grep -o " $2=\"[0-9]*\"" | tr -dc '0-9\n' | awk "{ sum += \$1 } END { print sum + 0 }"
}

run_project() { # name
  local name=$1 report="$results/$1.xml" code
  echo "== $name"
  rm -f "$report"
  # A test that hangs fails by its own limit (test/Shared). Should the runner itself hang, it is asked to stop and write its report.
  $limit "artifacts/bin/$name/release/$name" -noLogo -noColor -xml "$report"
  code=$?
  if [ ! -s "$report" ]; then
    echo "FAILED: $name left no report (exit code $code)"
    failed=$((failed + 1))
    return
  fi

  local ran broken left
  ran=$(count "$report" passed)
  broken=$(($(count "$report" failed) + $(count "$report" errors)))
  left=$(count "$report" skipped)
  # A runner that says all is well while it exits otherwise did not finish.
  [ "$code" -ne 0 ] && [ "$broken" -eq 0 ] && broken=1
  if [ "$left" -gt 0 ] && [ "$require" -eq 1 ]; then
    # Only what a registry cannot give is allowed to be missing; it says so in its reason.
    local excused
    excused=$(grep -o '<reason>[^/]*toolchain is not available' "$report" | wc -l)
    broken=$((broken + left - excused))
    [ "$left" -gt "$excused" ] && echo "FAILED: $((left - excused)) skipped in $name, which --require-servers forbids"
  fi

  passed=$((passed + ran))
  failed=$((failed + broken))
  skipped=$((skipped + left))
}

eng/servers.sh install || { [ "$require" -eq 1 ] && failed=$((failed + 1)); }

mkdir -p "$results"
step "restore" dotnet restore Poolhouse.slnx --verbosity quiet || finish
if [ "$format" -eq 1 ]; then
  step "format: dotnet format --verify-no-changes" dotnet format Poolhouse.slnx --no-restore --verify-no-changes
fi
step "build, warnings are errors" dotnet build Poolhouse.slnx --no-restore -c "$configuration" --verbosity quiet -nologo || finish

if command -v spin > /dev/null && command -v gcc > /dev/null; then
  step "models: eng/models.sh" eng/models.sh
else
  echo "SKIPPED models: spin or gcc is not installed"
  skipped=$((skipped + 1))
  [ "$require" -eq 1 ] && failed=$((failed + 1))
fi

for project in test/*/*.csproj; do
  run_project "$(basename "$project" .csproj)"
done

finish
