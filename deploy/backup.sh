#!/bin/sh
# Backs PostgreSQL up and restores it as it was at any moment, with its own programs (docs/operations.md, "Back up and restore").
# Runs as the user of PostgreSQL. <folder> is on another machine or disk: base/ gets a copy of the database for each run,
# wal/ the log since then.
#   backup.sh archive <folder> <path> <name>        archive_command = '/srv/vacancy/deploy/backup.sh archive /backup %p %f'
#   backup.sh base <folder> <address> [copies]      each night; keeps 7 copies, and the log since the oldest
#   backup.sh restore <folder> <data> [moment]      a new data directory; without a moment the last that was archived
set -eu
# Debian has them in a folder for each version.
programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
PATH=$PATH${programs:+:$programs}

archive() {
  target=$1/wal/$3
  # PostgreSQL repeats a segment when it was stopped before it heard of the success.
  if [ -e "$target" ]; then cmp -s "$2" "$target"; return; fi
  cp "$2" "$target.part"
  sync "$target.part"
  mv "$target.part" "$target"
}

base() {
  mkdir -p "$1/base"
  rm -rf "$1/base/part"
  pg_basebackup --dbname "$2" --pgdata "$1/base/part" --wal-method stream --checkpoint fast
  pg_verifybackup --quiet "$1/base/part"
  # The name is the first moment that this copy can be restored to.
  mv "$1/base/part" "$1/base/$(date -u +%Y%m%dT%H%M%SZ)"
  for old in $(names "$1" | head -n "-${3:-7}"); do rm -rf "$1/base/$old"; done
  oldest=$1/base/$(names "$1" | head -n 1)
  pg_archivecleanup "$1/wal" "$(sed -n 's/^START WAL LOCATION: .*(file \(.*\))$/\1/p' "$oldest/backup_label")"
}

restore() {
  if [ -e "$2" ]; then echo "$2 exists: name a new folder." >&2; exit 1; fi
  until=$(date -u -d "${3:-now}" +%Y%m%dT%H%M%SZ)
  copy=$(names "$1" | awk -v until="$until" '$0 <= until' | tail -n 1)
  if [ -z "$copy" ]; then echo "$1/base has no copy from before $until." >&2; exit 1; fi
  cp -a "$1/base/$copy" "$2"
  {
    echo "restore_command = 'cp \"$1/wal/%f\" \"%p\"'"
    # Also without a moment: the copy of a database that was itself restored to a moment names that one.
    echo "recovery_target_time = '${3:-}'"
    echo "recovery_target_action = promote"
    # What a trial writes must not be found by the next restore.
    echo "archive_mode = off"
  } >>"$2/postgresql.auto.conf"
  touch "$2/recovery.signal"
  echo "$2 has the copy of $copy. Start PostgreSQL with it: it reads the log up to ${3:-its end}."
}

names() { find "$1/base" -mindepth 1 -maxdepth 1 -name '2*Z' -printf '%f\n' | sort; }

case "${1:-}" in
  archive | base | restore) "$@" ;;
  *) sed -n 's/^# *//; 2,7p' "$0" >&2; exit 2 ;;
esac
