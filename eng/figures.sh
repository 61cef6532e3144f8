#!/usr/bin/env bash
# All figures of README.md, docs/performance.md and the guides come from docs/figures.json, which a run of the bars fills:
#
#   eng/bars.sh --json /tmp/bars.json
#   eng/figures.sh /tmp/bars.json    takes the run into docs/figures.json, and writes the pages and docs/images/figures.svg
#   eng/figures.sh                   writes the pages and the chart, for instance after an edit of a page
#   eng/figures.sh --check           fails if a page or the chart differs
#
# A table stands between '<!-- figures: TABLE -->' and '<!-- end figures -->', a single figure between
# '<!-- figure: TABLE/WHAT[ vs RIVAL]: ours|theirs|ratio|range|most -->' and '<!-- end -->'. What no bar measures is under "recorded", with the
# command that measured it. A ratio above 1.05 is bold: the rival is ahead. A table is not changed if the run has only some of its bars.
# The date is that of the file. If the run was made on another machine, the old ratios become the column of the earlier run.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
exec dotnet run "$root/eng/figures/Figures.cs" -- "$root" "$@"
