#!/usr/bin/env bash
# Builds the documentation as a site, in artifacts/site: guides, cookbook, API reference, and a search that works offline.
#
#   eng/site.sh           builds it; needs Node.js and the npm registry
#   eng/site.sh --check   also opens every page in Chromium: errors, links, search, copy buttons, contrast, headings, phone width
#   eng/site.sh --serve   also serves it on a free port of this machine
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case "${1:-}" in
  "" | --check | --serve) ;;
  *) echo "eng/site.sh: unknown argument '$1'; allowed: --check, --serve" >&2; exit 2 ;;
esac

rm -rf artifacts/site site/.content
assemblies=()
for project in src/*/*.csproj; do
  name=$(basename "$project" .csproj)
  if [ "$name" != Poolhouse.Tool ] && ! grep -q '<IsPackable>false' "$project"; then
    # Together with its references, which the API reference must load.
    dotnet build "$project" -c Release -v q -nologo -p:CopyLocalLockFileAssemblies=true
    assemblies+=("$PWD/artifacts/bin/$name/release/$name.dll")
  fi
done

cd site
npm ci --no-audit --no-fund --loglevel=error
npm run --silent prepare-content
(cd .. && dotnet run eng/site/Api.cs -- "$PWD/site/.content/api" "${assemblies[@]}")
npm run --silent build
case "${1:-}" in
  --check) npm run --silent check ;;
  --serve) npx vitepress preview ;;
esac
