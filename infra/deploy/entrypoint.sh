#!/bin/sh
# The image's entry point. Node replaces the shell, so that it is process 1 and gets all signals.
set -eu
cd /app
command=${1:-api}
[ $# -eq 0 ] || shift
# infra/process/node-options.ts says why.
[ "$command" != api ] || export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=12288 MALLOC_TRIM_THRESHOLD_=131072
case $command in
  api) exec node --import=./infra/deploy/starting.js --max-old-space-size=384 --max-semi-space-size=16 --v8-pool-size=1 programs/api.ts "$@" ;;
  worker) exec node --import=./infra/deploy/starting.js programs/worker.ts "$@" ;;
  reader) exec node --import=./infra/deploy/starting.js --max-old-space-size=192 programs/readers.ts "$@" ;;
  migrate) exec node --import=./infra/deploy/starting.js programs/admin/migrate.ts "$@" ;;
  admin) exec node --import=./infra/deploy/starting.js programs/admin/main.ts "$@" ;;
  sandbox-bank) exec node programs/sandbox-bank/main.ts "$@" ;;
  *)
    echo "There is no command \"$command\"; there are api, worker, reader, migrate, admin, sandbox-bank." >&2
    exit 2
    ;;
esac
