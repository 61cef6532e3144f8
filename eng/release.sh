#!/usr/bin/env bash
# Creates a release: everything that is uploaded to a package feed, checked, in artifacts/release/VERSION.
#
#   eng/release.sh VERSION                such as 0.9.0 or 1.0.0-rc.1; CHANGELOG.md must have a section for it
#   eng/release.sh VERSION --skip-tests   without eng/test.sh, to try the rest
#
# POOLHOUSE_REPOSITORY is the public address of the repository, by default that of the remote 'origin'; POOLHOUSE_PROJECT is that of the
# project's page, by default the same. They go into the packages, their first pages and the links of the analyzers' rules, which have
# placeholders otherwise.
#
# The commit is built twice, in new folders: the contents of the packages must be identical. Then all tests run, each package is
# installed from a local feed into a separate application, which is published trimmed and run, and the tool is installed and its help
# shown. The hosting packages are compiled to native code, in samples/NativeHost. The output also contains the software bill of materials
# (CycloneDX), the licences of the dependencies, the notes, and surface.txt: commit that as eng/release/surface.txt once the version is
# published, so that the next one is compared with it. The version is an argument and not read from a tag (MinVer): a commit gets its tag
# when its packages have passed all of this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

largest_core=600000 # bytes

fail() {
  echo "eng/release.sh: $*" >&2
  exit 1
}

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || { echo "usage: eng/release.sh VERSION [--skip-tests], such as 0.9.0" >&2; exit 2; }
tests=1
case "${2:-}" in
  "") ;;
  --skip-tests) tests=0 ;;
  *) echo "eng/release.sh: unknown argument '$2'; allowed: --skip-tests" >&2; exit 2 ;;
esac
[ -z "$(git status --porcelain)" ] || fail "there are uncommitted changes: a release is built from a commit."
out=$PWD/artifacts/release/$version
[ ! -e "$out" ] || fail "$out exists; nothing is overwritten."

export CI=true DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
helper=("dotnet" "run" "eng/release/Release.cs" "--")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/feed"

echo "== notes"
"${helper[@]}" notes CHANGELOG.md "$version" > "$work/notes.md"

echo "== public surface against the last version"
surface=test/Poolhouse.Repository.Tests/PublicApi
"${helper[@]}" api eng/release/surface.txt "$surface" "$version"

repository=$("${helper[@]}" address "${POOLHOUSE_REPOSITORY:-$(git remote get-url origin 2> /dev/null || true)}")
project=${POOLHOUSE_PROJECT:-$repository}
[[ $project == https://* ]] || fail "POOLHOUSE_PROJECT is '$project'; it must begin with https://."
for build in first second; do
  echo "== $build build"
  git clone -q . "$work/$build"
  # What SourceLink leads to: not this folder.
  git -C "$work/$build" remote set-url origin "$repository"
  "${helper[@]}" readmes "$work/$build" "$repository" "$version"
  (cd "$work/$build" && dotnet pack Poolhouse.slnx -c Release -o "$work/$build-packages" -p:Version="$version" -p:UseSharedCompilation=true \
    -p:RepositoryUrl="$repository" -p:PackageProjectUrl="$project" -p:DocumentationUrl="$repository/blob/v$version/docs" \
    -p:ReleaseNotesFile="$work/notes.md" -v q -nologo)
  git -C "$work/$build" checkout -q src
done

echo "== two builds are identical"
"${helper[@]}" compare "$work/first-packages" "$work/second-packages"
core=$(stat -c %s "$work/first-packages/Poolhouse.$version.nupkg")
[ "$core" -le "$largest_core" ] || fail "the core package has $core bytes; at most $largest_core are allowed."

if [ "$tests" = 1 ]; then
  echo "== tests"
  (cd "$work/first" && eng/test.sh && eng/test.sh --newest)
fi

echo "== each package in an application of its own"
cp "$work"/first-packages/*.nupkg "$work/feed"
for package in "$work"/first-packages/*.nupkg; do
  name=$(basename "$package" ".$version.nupkg")
  [ "$name" != Poolhouse.Tool ] || continue
  [ -f "eng/release/smoke/$name.cs" ] || fail "eng/release/smoke/$name.cs is missing: the program that tries the package."
  app=$work/apps/$name
  mkdir -p "$app"
  cp "eng/release/smoke/$name.cs" "$app/Program.cs"
  "${helper[@]}" application "$name" "$version" "$app" Directory.Packages.props
  dotnet publish "$app" -c Release -o "$app/published" -v q -nologo \
    -p:RestoreAdditionalProjectSources="$work/feed" -p:RestorePackagesPath="$work/packages"
  said=$("$app/published/Application")
  grep -qx "OK $name" <<< "$said" || fail "$name: the application said '$said' instead of 'OK $name'."
  echo "$name: published trimmed, ran"
done

echo "== the packages for hosting, compiled to native code"
native=$work/native
(cd "$work/first" && dotnet publish samples/NativeHost -p:Aot=true -p:ArtifactsPath="$native/artifacts" -o "$native/published" -v q -nologo) > "$native.log" \
  || { cat "$native.log"; fail "samples/NativeHost could not be published."; }
! grep -q 'warning IL' "$native.log" || { cat "$native.log"; fail "samples/NativeHost has warnings about trimming or native code."; }
"$native/published/NativeHost" | grep -qx Healthy || fail "samples/NativeHost did not say that its pools are healthy."

echo "== the tool"
dotnet tool install Poolhouse.Tool --version "$version" --tool-path "$work/tools" --add-source "$work/feed" > /dev/null
"$work/tools/poolhouse" --help | grep -q '^  poolhouse ' || fail "poolhouse --help does not say poolhouse."

echo "== bill of materials and licences"
mkdir -p "$work/release"
cp "$work"/first-packages/* "$work/notes.md" "$work/release"
"${helper[@]}" surface "$surface" "$version" > "$work/release/surface.txt"
for project in src/*/*.csproj; do
  grep -q '<IsPackable>false' "$project" && continue
  name=$(basename "$project" .csproj)
  dotnet list "$work/first/$project" package --include-transitive --format json > "$work/dependencies.json"
  "${helper[@]}" bill "$name" "$version" "$work/dependencies.json" "$work/release/$name.cdx.json" >> "$work/licences"
done
sort -u "$work/licences" > "$work/release/LICENCES.txt"

mkdir -p "$(dirname "$out")"
mv "$work/release" "$out"
echo
ls -l "$out"
