#!/bin/bash
# Backs up the league, its roles and the settings into /var/backups/cageside/DATE; the last 14 days stay. A program
# /etc/cageside/after-backup, if there is one, is given the folder, to copy it elsewhere.
set -euo pipefail
umask 077
backups=/var/backups/cageside
folder=$backups/$(date +%F)
rm -rf "$folder.new"
mkdir -p "$folder.new"
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
