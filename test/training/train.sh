#!/usr/bin/env bash
# Trains the scorer and writes it to infra/ocr/scorer.onnx: 96,000 pages, one pass, some 20 minutes on two idle cores.
# Needs Python 3.11 with venv and 4 GB of disk. The same code gives the same model.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
folder=${1:-.cache/training}
pages=${2:-24000}
mkdir -p "$folder"
[ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --requirement test/training/requirements.txt
for first in 0 2; do
  for part in $first $((first + 1)); do
    node test/training/samples.ts --out "$folder/samples-$part.bin" --from $((part * pages)) --count "$pages" &
  done
  wait
done
"$folder/python/bin/python" test/training/train.py "$folder"/samples-{0,1,2,3}.bin --out infra/ocr/scorer.onnx
