-- Public views. Applied at the end of every run of migrate, before rights.sql.

-- Views ------------------------------------------------------------------------------------------

-- They run with the rights of their owner. security_barrier: conditions of a query are evaluated only on
-- rows that the view returns, except leakproof ones.
-- xmin is the transaction that wrote a row; the server sets it even with triggers off.
CREATE OR REPLACE VIEW cageside_public.tournaments WITH (security_barrier) AS
SELECT xmin, tournaments.* FROM cageside.tournaments WHERE privacy = 'public' AND NOT is_test;

-- Tables with a tournament_id. Migrations add columns at the end, as REPLACE requires.
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

-- A cage with a game that is not public is idle, without the time of its changes.
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

-- Changes of clips of public tournaments, including those that became hidden.
CREATE OR REPLACE VIEW cageside_public.clip_changes WITH (security_barrier) AS
SELECT tournament_id, row_xid FROM cageside.clips AS part WHERE EXISTS (
  SELECT FROM cageside.tournaments AS own
  WHERE own.id = part.tournament_id AND own.privacy = 'public' AND NOT own.is_test
);

-- Digests of hidden rows, which a reader must withdraw if it has served them.
CREATE OR REPLACE VIEW cageside_public.hidden_tournaments WITH (security_barrier) AS
SELECT cageside.digest(id) AS digest FROM cageside.tournaments
WHERE NOT (privacy = 'public' AND NOT is_test);
CREATE OR REPLACE VIEW cageside_public.hidden_clips WITH (security_barrier) AS
SELECT cageside.digest(token) AS digest FROM cageside.clips
WHERE NOT (is_public AND state = 'completed');

-- Deletions of tournaments, and of rows of public ones. The key is unique within the tournament, or a
-- digest if the row may have been hidden.
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

-- Some services put row level security on new tables; rights and views protect these. Tables with policies keep it.
DO $$
DECLARE
  guarded regclass;
BEGIN
  FOR guarded IN
    SELECT oid FROM pg_class
    WHERE relnamespace = 'cageside'::regnamespace AND relkind = 'r'
      AND (relrowsecurity OR relforcerowsecurity)
      AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)
  LOOP
    EXECUTE format(
      'ALTER TABLE %s DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY', guarded
    );
  END LOOP;
END $$;

-- As triggers on a table of its own, another role could run its code with the rights of the owner.
REVOKE EXECUTE ON FUNCTION cageside.set_row_xid(), cageside.record_tombstone() FROM PUBLIC;
