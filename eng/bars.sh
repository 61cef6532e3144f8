#!/usr/bin/env bash
# The speed bars: ours against the rival, in turns, in one process; about five minutes. A benchmark, not a test: run it on a quiet machine.
#
#   eng/bars.sh [--only TEXT] [--json FILE]
#
# The bars of databases start a PostgreSQL server of their own, those of LDAP a slapd; they are skipped, with the reason, where there is none.
# exit code 0 only if every bar holds; TEXT is a part of the names of the bars to measure, or of their rivals.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
exec dotnet run -c Release --project "$root/bench/Poolhouse.Benchmarks" -- --bars "$@"
