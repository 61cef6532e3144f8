#!/usr/bin/env bash
# Writes the tables of docs/performance.md, between '<!-- figures: NAME -->' and '<!-- end figures -->', from a run of the bars:
#
#   eng/bars.sh --json /tmp/bars.json
#   eng/figures.sh /tmp/bars.json [EARLIER.md]
#
# The date is that of the file. A ratio above 1.05 is bold: the rival is ahead. A table is not changed if the run has only some of
# its bars, or none (eng/bars.sh --only TEXT). EARLIER.md is an earlier version of the page: its ratios become one more column.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
exec dotnet run "$root/eng/figures/Figures.cs" -- "$root/docs/performance.md" "$@"
