#!/usr/bin/env bash
# The speed bars: Poolhouse and its rivals, measured in turns in one process; about five minutes. Run it on a quiet machine.
#
#   eng/bars.sh [--only TEXT] [--json FILE]
#
# The database bars start a PostgreSQL server, the LDAP bars a slapd; they are skipped, with the reason, if it is not installed.
# Exit code 0 only if every bar holds. TEXT selects the bars whose name, or whose rival's name, contains it.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
exec dotnet run -c Release --project "$root/bench/Poolhouse.Benchmarks" -- --bars "$@"
