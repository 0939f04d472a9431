#!/bin/bash
# Replaces the program by another version, and stops at the first failed check. Order: backup, second process, first
# process, tables. The new program reads the old tables, but the old one does not read the new tables: so `migrate` is last.
#
#   upgrade.sh PROGRAM          the new executable; behind nginx or Caddy no request fails
#   upgrade.sh --stop PROGRAM   with downtime, if the new program does not read the present tables, such as those of 2.0.0
#   upgrade.sh --back           the previous program, without loss of data; refused once the tables have changed
#
# A database needs DATABASE_ADMIN_URL, and cageside-backup (RECIPES.md) or another backup command in BACKUP.
set -euo pipefail
program=/usr/local/bin/cageside
database=/etc/cageside/database-url
# Version of the tables that the previous program reads, and the time of the backup.
state=/var/lib/cageside/upgrade

say() { echo "upgrade: $*"; }
fail() {
  say "$*" >&2
  exit 1
}
is_active() { systemctl is-active --quiet "cageside@$1"; }
health() { curl -sf --max-time 5 "http://localhost:$1/health"; }
# Each process starts a replay, such as the sample, from its beginning.
fights() { health "$1" | grep -oE '"source":"replay"|"fights":[0-9]+' | head -n 1; }

# Waits until a process serves as many fights as the other process, or as before if that is not running. A change of the
# league in between can delay this.
same_league() {
  local attempt expected
  for attempt in {1..20}; do
    expected=$(fights $((6001 - $1)) || echo "$now")
    curl -sf --max-time 5 "http://localhost:$1/ready" > /dev/null && [ "$(fights "$1")" = "$expected" ] && return
    sleep 0.5
  done
  say "cageside@$1 serves $(fights "$1" || echo nothing), expected is $expected" >&2
  return 1
}

# Replaces the installed program atomically.
put() {
  install -m 755 "$1" $program.new
  mv $program.new $program
}

# Runs the installed program in both processes, one after the other. The second one stays only if it ran before.
switch() {
  systemctl "$([ "$second" = yes ] && echo restart || echo start)" cageside@3001 &&
    same_league 3001 && has_switched=yes && systemctl restart cageside@3000 && same_league 3000
}
end_second() { [ "$second" = yes ] || systemctl stop cageside@3001; }

tables_of() { "$1" migrate --check | grep -o '[0-9]*'; }

with_stop=no
[ "${1:-}" = --stop ] && { with_stop=yes && shift; }
[ $# -eq 1 ] || fail 'PROGRAM or --back is expected, see the head of this file'
second=no has_switched=no
is_active 3001 && second=yes

is_active 3000 || fail 'cageside@3000 is not running: start it first'
now=$(fights 3000) || fail 'cageside@3000 does not answer: fix that first'

if [ "$1" = --back ]; then
  [ -x $program.before ] || fail "there is no $program.before"
  if [ -s $database ]; then
    [ -r $state ] || fail "it is unknown which tables the previous program reads: $state is missing"
    read -r before taken < $state
    read -r tables _ <<< "$(tables_of $program | xargs)"
    [ "$tables" = "$before" ] || fail "the tables have version $tables, the previous program reads $before: restore the backup of $taken \
(RECIPES.md), which loses all that was written to the league since, and put $program.before in its place"
  fi
  put $program.before
  switch || fail 'the previous program does not serve the league; see journalctl -u cageside@3001'
  end_second
  say "$($program --version) serves; nothing is lost"
  exit
fi

new=$1
version=$("$new" --version) || fail "$new does not run here"
[ "$version" != "$($program --version)" ] || fail "$version is installed already"
# Outdated tables are no obstacle: the upgrade migrates them.
problems=$(health 3000 | grep -o '"problems":\[[^]]*\]' | sed -E 's/"[^"]*: run migrate"//')
[ "$problems" = '"problems":[]' ] || fail "cageside@3000 is degraded, fix that first: $problems"

tables=0 last=0
if [ -s $database ]; then
  [ -n "${DATABASE_ADMIN_URL:-}${DATABASE_ADMIN_URL_FILE:-}" ] || fail 'DATABASE_ADMIN_URL is not set'
  read -r tables first last <<< "$(tables_of "$new" | xargs)"
  [ "${last:-0}" -gt 0 ] || fail "$version does not say which tables it reads"
  [ "$tables" -le "$last" ] || fail "the tables have version $tables, $version reads $first to $last"
  [ "$tables" -ge "$first" ] || [ $with_stop = yes ] ||
    fail "the tables have version $tables, $version reads $first to $last: there is no way without a stop, see --stop"
  backup=${BACKUP:-cageside-backup}
  command -v "${backup%% *}" > /dev/null || fail "there is no $backup: install it (RECIPES.md), or name another command in BACKUP"
  taken=$(date '+%F %T')
  $backup || fail 'the backup failed: nothing was changed'
  echo "$tables $taken" > $state
  say "backed up at $taken"
fi
[ $with_stop = no ] || [ "$tables" -lt "${first:-0}" ] || fail 'no stop is needed: leave --stop out'

cp $program $program.before
put "$new"
if [ $with_stop = yes ]; then
  say 'the service is stopped'
  systemctl stop cageside@3001
  systemctl stop cageside@3000
  if ! $program migrate; then
    put $program.before
    systemctl start cageside@3000
    [ "$second" = no ] || systemctl start cageside@3001
    fail "the tables cannot be changed: the previous program is back, nothing is lost"
  fi
  systemctl start cageside@3000
  [ "$second" = no ] || systemctl restart cageside@3001
  same_league 3000 || fail "restore the backup of $taken (RECIPES.md), and put $program.before in its place"
  say "$version serves; going back is restoring the backup of $taken, and loses all that was written since"
  exit
fi
if ! switch; then
  put $program.before
  [ $has_switched = no ] || systemctl restart cageside@3000
  [ $second = no ] || systemctl restart cageside@3001
  end_second
  fail "$version does not serve the league: the previous program is back, nothing is lost"
fi
if [ "$tables" -lt "$last" ]; then
  $program migrate || fail "$version serves, and the tables are as before: fix that and run cageside migrate, or go back by --back"
  # The process reads the whole league again.
  same_league 3000 || fail "see journalctl -u cageside@3000"
  end_second
  say "$version serves tables $last; going back is restoring the backup of $taken, and loses all that was written since"
else
  end_second
  say "$version serves; to go back, upgrade.sh --back, which loses nothing"
fi
