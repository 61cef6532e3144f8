#!/usr/bin/env bash
# Runs the rules of Poolhouse.Analyzers over a corpus of projects and compares their findings with the labels in eng/corpus/labels.txt.
#
#   eng/analyzers-corpus.sh                   the projects of this repository; writes the table to test/Poolhouse.Analyzers.Tests/README.md
#   eng/analyzers-corpus.sh NAME=FOLDER …     other projects, whose sources are on this machine; prints the table
#   eng/analyzers-corpus.sh --cost            the time that the rules add to the compilation of this repository
#
# A finding without a label, or a label without a finding, makes the exit code 1. To label a finding, read the code, and add a line
# 'project | rule | file | member | true or false | reason'. Build the solution first: references are read from artifacts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -f artifacts/bin/Poolhouse/release/Poolhouse.dll ] || { echo "eng/analyzers-corpus.sh: build Poolhouse.slnx -c Release first" >&2; exit 2; }
dotnet run -c Release eng/corpus/Corpus.cs -- "$PWD" "$@"
