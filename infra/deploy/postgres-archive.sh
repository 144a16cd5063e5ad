#!/bin/sh
# PostgreSQL's archive_command: archive.sh %p %f DIRECTORY. A segment is in the archive whole or not at all, packed, since one that
# archive_timeout ended early is 16 MB of almost nothing. One that is there already counts as archived only where it is the same:
# PostgreSQL asks again where it was stopped before it had noted the answer.
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
