-- Public views, roles and their rights. Applied at the end of every run of migrate, so that a restored
-- database, where roles may have been missing, gets its rights again.

-- Roles belong to the whole cluster: another database's migration may create them right now.
DO $$
DECLARE
  role name;
BEGIN
  FOREACH role IN ARRAY ARRAY['cageside_reader', 'cageside_writer'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = role);
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END $$;

-- Views ------------------------------------------------------------------------------------------

-- They run with the rights of their owner. security_barrier: no condition of a query is evaluated on a
-- row before the view has let it through, unless it cannot tell anything about it.
-- xmin is the transaction that wrote a row, which the server keeps with triggers or without.
CREATE OR REPLACE VIEW cageside_public.tournaments WITH (security_barrier) AS
SELECT xmin, tournaments.* FROM cageside.tournaments WHERE privacy = 'public' AND NOT is_test;

-- The tables with a tournament_id. Columns that a migration adds come last, which REPLACE allows.
DO $$
DECLARE
  part name;
BEGIN
  FOR part IN
    SELECT relname FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'tournament_id'
    WHERE relnamespace = 'cageside'::regnamespace AND relkind = 'r'
      AND relname NOT IN ('cages', 'tombstones')
  LOOP
    EXECUTE format(
      'CREATE OR REPLACE VIEW cageside_public.%1$I WITH (security_barrier) AS
       SELECT part.xmin, part.* FROM cageside.%1$I AS part WHERE %2$s EXISTS (
         SELECT FROM cageside.tournaments AS own
         WHERE own.id = part.tournament_id AND own.privacy = ''public'' AND NOT own.is_test
       )',
      part,
      CASE part WHEN 'clips' THEN 'part.is_public AND part.state = ''completed'' AND' ELSE '' END
    );
  END LOOP;
END $$;

-- A cage with a game that is not public is idle, and its changes are not seen.
CREATE OR REPLACE VIEW cageside_public.cages WITH (security_barrier) AS
SELECT cage.number,
  CASE WHEN is_shown THEN status ELSE 'idle' END AS status,
  CASE WHEN is_shown THEN tournament_id END AS tournament_id,
  CASE WHEN is_shown THEN game_id END AS game_id,
  CASE WHEN is_shown THEN paused_since END AS paused_since,
  CASE WHEN is_shown THEN update_time ELSE 'epoch' END AS update_time
FROM cageside.cages AS cage, LATERAL (
  SELECT cage.tournament_id IS NULL OR EXISTS (
    SELECT FROM cageside.tournaments AS own
    WHERE own.id = cage.tournament_id AND own.privacy = 'public' AND NOT own.is_test
  ) AS is_shown
) AS visibility;

-- For readers that follow changes: clips of public tournaments, hidden ones too, as they turn hidden.
CREATE OR REPLACE VIEW cageside_public.clip_changes WITH (security_barrier) AS
SELECT tournament_id, row_xid FROM cageside.clips AS part WHERE EXISTS (
  SELECT FROM cageside.tournaments AS own
  WHERE own.id = part.tournament_id AND own.privacy = 'public' AND NOT own.is_test
);

-- What a reader that has served it must take back.
CREATE OR REPLACE VIEW cageside_public.hidden_tournaments WITH (security_barrier) AS
SELECT cageside.digest(id) AS digest FROM cageside.tournaments
WHERE NOT (privacy = 'public' AND NOT is_test);
CREATE OR REPLACE VIEW cageside_public.hidden_clips WITH (security_barrier) AS
SELECT cageside.digest(token) AS digest FROM cageside.clips
WHERE NOT (is_public AND state = 'completed');

-- Deletions in public tournaments, and of tournaments. The key is that below the tournament, where a
-- reader needs it, and a digest where the row may have been hidden.
CREATE OR REPLACE VIEW cageside_public.tombstones WITH (security_barrier) AS
SELECT table_name,
  CASE WHEN table_name <> 'tournaments' THEN tournament_id END AS tournament_id,
  CASE table_name
    WHEN 'tournaments' THEN cageside.digest(tournament_id)
    WHEN 'clips' THEN cageside.digest(key ->> 'token')
    WHEN 'games' THEN key ->> 'id'
    WHEN 'stills' THEN key ->> 'id'
  END AS key,
  row_xid
FROM cageside.tombstones AS part
WHERE table_name = 'tournaments' OR EXISTS (
  SELECT FROM cageside.tournaments AS own
  WHERE own.id = part.tournament_id AND own.privacy = 'public' AND NOT own.is_test
);

-- Rights -----------------------------------------------------------------------------------------

-- Earlier versions let readers select from every table, and from those that come later.
REVOKE ALL ON ALL TABLES IN SCHEMA cageside FROM cageside_reader, cageside_writer;
DO $$
DECLARE
  grantor name;
BEGIN
  FOR grantor IN
    SELECT DISTINCT pg_get_userbyid(defaclrole) FROM pg_default_acl, aclexplode(defaclacl) AS granted
    WHERE defaclnamespace = 'cageside'::regnamespace
      AND granted.grantee = 'cageside_reader'::regrole
  LOOP
    EXECUTE format(
      'ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA cageside REVOKE ALL ON TABLES FROM cageside_reader',
      grantor
    );
  END LOOP;
END $$;
GRANT USAGE ON SCHEMA cageside, cageside_public TO cageside_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA cageside_public TO cageside_reader;
GRANT SELECT ON cageside.schema_version TO cageside_reader;

-- Writers write the tables of the league. Triggers write the rest, with the rights of their owner.
GRANT USAGE ON SCHEMA cageside TO cageside_writer;
GRANT SELECT ON cageside.schema_version TO cageside_writer;
DO $$
DECLARE
  tracked regclass;
BEGIN
  FOR tracked IN
    SELECT tgrelid FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = 'cageside'::regnamespace AND tgname = 'set_row_xid'
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO cageside_writer', tracked);
  END LOOP;
END $$;

-- On a table of their own, others could make them run code of their own with the rights of the owner.
REVOKE EXECUTE ON FUNCTION cageside.set_row_xid(), cageside.record_tombstone() FROM PUBLIC;
