#!/usr/bin/env bash
# What the tests need beside the SDK. Installs it where that is possible (root on Debian), and says what is missing where it is not.
#
#   eng/servers.sh install
set -uo pipefail

wanted=()
command -v chromium > /dev/null || wanted+=(chromium)
command -v spin > /dev/null || wanted+=(spin)
command -v gcc > /dev/null || wanted+=(gcc libc6-dev)

if [ "${1:-}" != install ]; then
  echo "usage: eng/servers.sh install" >&2
  exit 2
fi

[ "${#wanted[@]}" -eq 0 ] && exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
  echo "Not installed, because this is not root on Debian: ${wanted[*]}. The tests that need them are skipped."
  exit 1
fi

echo "== installing ${wanted[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq > /dev/null && apt-get install -y -qq --no-install-recommends "${wanted[@]}" > /dev/null || {
  echo "apt-get could not install: ${wanted[*]}. The tests that need them are skipped."
  exit 1
}
