#!/bin/sh
# PostgreSQL's archive_command: archive.sh %p %f DIRECTORY. Archives a segment whole or not at all. Compresses the segment,
# because a segment that archive_timeout ended early is almost empty. PostgreSQL repeats an interrupted command, so an archived
# segment must have the same contents.
set -eu
archived=$3/$2.gz
if [ -f "$archived" ]; then
  gunzip --stdout "$archived" | cmp --silent - "$1"
  exit
fi
gzip --stdout "$1" >"$3/.$2.gz"
sync "$3/.$2.gz"
mv "$3/.$2.gz" "$archived"
sync "$3"
