#!/usr/bin/env bash
# Draws the icon of the packages, icon.png, from icon.svg beside it, in Chromium. Run it after a change of the drawing, and commit both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/icon.html" << HTML
<body><script>
const image = new Image();
image.onload = () => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  canvas.getContext('2d').drawImage(image, 0, 0);
  document.body.textContent = canvas.toDataURL('image/png');
};
image.src = 'data:image/svg+xml;base64,$(base64 -w0 icon.svg)';
</script></body>
HTML
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=2000 --dump-dom "file://$work/icon.html" 2> /dev/null \
  | grep -o 'data:image/png;base64,[A-Za-z0-9+/=]*' | cut -d, -f2 | base64 -d > "$work/icon.png"
mv "$work/icon.png" icon.png
