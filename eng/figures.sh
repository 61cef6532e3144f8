#!/usr/bin/env bash
# Writes the tables of docs/performance.md, between '<!-- figures: NAME -->' and '<!-- end figures -->', from a run of the bars:
#
#   eng/bars.sh --json /tmp/bars.json
#   eng/figures.sh /tmp/bars.json
#
# The date is that of the file. A ratio above 1.05 is bold: the rival is ahead. A table is not changed if the run has only some of
# its bars, or none (eng/bars.sh --only TEXT).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
exec dotnet run "$root/eng/figures/Figures.cs" -- "${1:?usage: eng/figures.sh BARS.json}" "$root/docs/performance.md"
