#!/bin/bash
# Backs up the league, its roles and the settings into /var/backups/cageside/DATE; the last 14 days stay. A program
# /etc/cageside/after-backup, if it exists, is run with the folder, to copy it elsewhere. A failed backup leaves no files.
set -euo pipefail
umask 077
backups=/var/backups/cageside
folder=$backups/$(date +%F)
mkdir -p $backups
# Two backups at once would remove each other's files.
exec 9< $backups
flock -n 9 || { echo 'another backup is under way' >&2; exit 1; }
# Remove what a power failure left, of any day.
rm -rf $backups/????-??-??.new
trap 'rm -rf "$folder.new"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$folder.new"
# A folder that postgres may enter.
cd /
runuser -u postgres -- pg_dumpall --roles-only | grep -v '^CREATE ROLE postgres;' > "$folder.new/roles.sql"
runuser -u postgres -- pg_dump -Fc league > "$folder.new/league.dump"
# Status 1: a file changed meanwhile.
tar -czf "$folder.new/cageside.tar.gz" --warning=no-file-changed --exclude=client.key --exclude=lock -C / etc/cageside var/lib/cageside || [ $? = 1 ]
pg_restore --list "$folder.new/league.dump" > /dev/null
sync
rm -rf "$folder"
mv "$folder.new" "$folder"
find $backups -mindepth 1 -maxdepth 1 -name '????-??-??' | sort | head -n -14 | xargs -r rm -r
if [ -x /etc/cageside/after-backup ]; then /etc/cageside/after-backup "$folder"; fi
