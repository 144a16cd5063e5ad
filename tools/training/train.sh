#!/usr/bin/env bash
# Trains the scorer and writes it to infra/documents/scorer.onnx: 150,000 pages, one pass, some 30 minutes on two idle cores.
# Needs Python 3.11 with venv and 6 GB of disk. The same code gives the same model.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
folder=${1:-.cache/training}
pages=${2:-75000}
mkdir -p "$folder"
[ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --requirement tools/training/requirements.txt
for part in 0 1; do
  node tools/training/samples.ts --out "$folder/samples-$part.bin" --from $((part * pages)) --count "$pages" &
done
wait
# With more threads, sums are added in a different order, and training is slower because the threads share a core.
OMP_NUM_THREADS=1 "$folder/python/bin/python" tools/training/train.py "$folder"/samples-{0,1}.bin --out infra/documents/scorer.onnx
