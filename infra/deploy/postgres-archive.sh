#!/bin/sh
# PostgreSQL's archive_command: archive.sh %p %f DIRECTORY. A segment is archived whole or not at all. It is packed, because a segment
# that archive_timeout ended early is 16 MB of almost nothing. If a segment is already there, it must be the same one: PostgreSQL asks
# again if it was stopped before it noted the answer.
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
