#!/usr/bin/env bash
# Draws in Chromium what package galleries show and cannot take as SVG: the icon of the packages. Run it after a change of the drawing,
# and commit both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draw SVG WIDTH HEIGHT: the PNG lies beside it.
draw() {
  cat > "$work/page.html" << HTML
<body><script>
const image = new Image();
image.onload = () => {
  const canvas = document.createElement('canvas');
  canvas.width = $2;
  canvas.height = $3;
  canvas.getContext('2d').drawImage(image, 0, 0, $2, $3);
  document.body.textContent = canvas.toDataURL('image/png');
};
image.src = 'data:image/svg+xml;base64,$(base64 -w0 "$1")';
</script></body>
HTML
  chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=2000 --dump-dom "file://$work/page.html" 2> /dev/null \
    | grep -o 'data:image/png;base64,[A-Za-z0-9+/=]*' | cut -d, -f2 | base64 -d > "$work/picture.png"
  mv "$work/picture.png" "${1%.svg}.png"
}

draw eng/release/icon.svg 128 128
