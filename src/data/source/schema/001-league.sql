-- The tables of a league. The event software writes them; the service reads them, as a member of
-- cageside_reader.
--
-- Changes can be followed without missing any. row_xid is the transaction that last wrote a row: a
-- reader that remembers pg_snapshot_xmin(pg_current_snapshot()) finds all later changes with
-- row_xid >= that mark, in whatever order transactions commit. Deleted rows leave a tombstone.

CREATE SCHEMA IF NOT EXISTS cageside;

CREATE TABLE IF NOT EXISTS cageside.schema_version (version integer NOT NULL);

-- Types -----------------------------------------------------------------------------------------

-- Lengths count UTF-16 code units, as the reader does. No text has more of them than bytes, so the
-- search for characters outside the basic plane, which count twice, is for the longest texts only.
CREATE OR REPLACE FUNCTION cageside.fits(value text, units integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN octet_length(value) <= units
  OR char_length(value) + char_length(regexp_replace(value, '[^\U00010000-\U0010FFFF]', '', 'g')) <= units;

CREATE OR REPLACE FUNCTION cageside.fits(list text[], units integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(array_ndims(list), 1) = 1
  AND array_position(list, NULL) IS NULL
  AND NOT EXISTS (SELECT FROM unnest(list) AS item WHERE NOT cageside.fits(item, units));

DO $$
BEGIN
  -- Bytewise order is the same on every machine and survives upgrades of the C library.
  IF to_regtype('cageside.id') IS NULL THEN
    CREATE DOMAIN cageside.id AS text COLLATE "C" CHECK (value <> '' AND cageside.fits(value, 128));
  END IF;
  IF to_regtype('cageside.label') IS NULL THEN
    CREATE DOMAIN cageside.label AS text COLLATE "C" CHECK (cageside.fits(value, 4096));
  END IF;
  IF to_regtype('cageside.amount') IS NULL THEN
    CREATE DOMAIN cageside.amount AS integer CHECK (value >= 0);
  END IF;
  IF to_regtype('cageside.league_number') IS NULL THEN
    CREATE DOMAIN cageside.league_number AS bigint CHECK (value BETWEEN 1 AND 9007199254740991);
  END IF;
  -- From the Unix epoch to the end of the year 9999; infinity is outside.
  IF to_regtype('cageside.instant') IS NULL THEN
    CREATE DOMAIN cageside.instant AS timestamptz
      CHECK (value BETWEEN '1970-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00');
  END IF;
END $$;

-- Tournaments -----------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS cageside.tournaments (
  id cageside.id PRIMARY KEY,
  name cageside.label NOT NULL,
  create_time cageside.instant NOT NULL,
  scheduled_start_time cageside.instant,
  start_time cageside.instant,
  end_time cageside.instant,
  update_time cageside.instant NOT NULL,
  weight_class cageside.amount NOT NULL,
  active boolean NOT NULL,
  is_test boolean NOT NULL,
  is_freestyle boolean NOT NULL,
  privacy text NOT NULL CHECK (privacy IN ('public', 'unlisted', 'private')),
  format_type text NOT NULL
    CHECK (format_type IN ('single_elimination', 'double_elimination', 'round_robin')),
  scoring_type cageside.label NOT NULL,
  allowed_win_annotations text[] NOT NULL CHECK (cageside.fits(allowed_win_annotations, 4096)),
  score_to_win cageside.amount NOT NULL,
  row_xid xid8 NOT NULL
);

CREATE TABLE IF NOT EXISTS cageside.brackets (
  tournament_id cageside.id NOT NULL REFERENCES cageside.tournaments ON DELETE CASCADE,
  id cageside.id NOT NULL,
  position cageside.amount NOT NULL,
  name cageside.label NOT NULL,
  is_exhibition boolean NOT NULL,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, id)
);

CREATE TABLE IF NOT EXISTS cageside.rounds (
  tournament_id cageside.id NOT NULL,
  bracket_id cageside.id NOT NULL,
  idx cageside.amount NOT NULL,
  name cageside.label NOT NULL,
  score_to_win cageside.amount NOT NULL,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, bracket_id, idx),
  FOREIGN KEY (tournament_id, bracket_id) REFERENCES cageside.brackets ON DELETE CASCADE
);

CREATE TABLE IF NOT EXISTS cageside.players (
  tournament_id cageside.id NOT NULL REFERENCES cageside.tournaments ON DELETE CASCADE,
  id cageside.id NOT NULL,
  name cageside.label NOT NULL,
  seed cageside.amount,
  is_bye boolean NOT NULL,
  is_disqualified boolean NOT NULL,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, id)
);

-- A round with games and a player with slots cannot be deleted on their own. Games and slots hang on
-- their tournament directly too, so that they are gone before that is checked when it is deleted.
CREATE TABLE IF NOT EXISTS cageside.games (
  tournament_id cageside.id NOT NULL REFERENCES cageside.tournaments ON DELETE CASCADE,
  id cageside.id NOT NULL,
  bracket_id cageside.id NOT NULL,
  round_idx cageside.amount NOT NULL,
  position cageside.amount NOT NULL,
  name cageside.label NOT NULL,
  state text NOT NULL
    CHECK (state IN ('unavailable', 'available', 'called', 'hold', 'active', 'done')),
  cage cageside.label,
  win_annotation cageside.label,
  loser_placement cageside.amount,
  countdown cageside.amount,
  timer_duration cageside.amount,
  scheduled_time cageside.instant,
  available_since cageside.instant,
  called_since cageside.instant,
  start_time cageside.instant,
  stop_time cageside.instant,
  end_time cageside.instant,
  notice cageside.label NOT NULL,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, id),
  FOREIGN KEY (tournament_id, bracket_id, round_idx) REFERENCES cageside.rounds
);

CREATE TABLE IF NOT EXISTS cageside.slots (
  tournament_id cageside.id NOT NULL REFERENCES cageside.tournaments ON DELETE CASCADE,
  game_id cageside.id NOT NULL,
  idx smallint NOT NULL CHECK (idx IN (0, 1)),
  player_id cageside.id,
  prev_game_id cageside.id,
  score cageside.amount,
  state text NOT NULL CHECK (
    state IN ('pending', 'winner', 'loser', 'winner_by_default', 'loser_by_default', 'tie')
  ),
  is_ready boolean NOT NULL,
  tapped boolean NOT NULL,
  unstick_time cageside.amount,
  show_motion_time cageside.amount,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, game_id, idx),
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games ON DELETE CASCADE,
  FOREIGN KEY (tournament_id, player_id) REFERENCES cageside.players,
  FOREIGN KEY (tournament_id, prev_game_id) REFERENCES cageside.games
    ON DELETE SET NULL (prev_game_id)
);

CREATE TABLE IF NOT EXISTS cageside.pauses (
  tournament_id cageside.id NOT NULL,
  game_id cageside.id NOT NULL,
  idx cageside.amount NOT NULL,
  start_time cageside.instant NOT NULL,
  stop_time cageside.instant,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, game_id, idx),
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games ON DELETE CASCADE
);

CREATE TABLE IF NOT EXISTS cageside.judge_lines (
  tournament_id cageside.id NOT NULL,
  game_id cageside.id NOT NULL,
  idx cageside.amount NOT NULL,
  line cageside.label NOT NULL,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (tournament_id, game_id, idx),
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games ON DELETE CASCADE
);

-- Recordings, clips and stills ------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS cageside.recordings (
  id cageside.league_number PRIMARY KEY,
  tournament_id cageside.id NOT NULL,
  game_id cageside.id NOT NULL,
  cage cageside.label NOT NULL,
  camera cageside.label NOT NULL,
  video_url cageside.label,
  http_status smallint CHECK (http_status BETWEEN 100 AND 599),
  start_time cageside.instant,
  has_720 boolean NOT NULL,
  has_360 boolean NOT NULL,
  has_72 boolean NOT NULL,
  row_xid xid8 NOT NULL,
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS recordings_game ON cageside.recordings (tournament_id, game_id);

CREATE TABLE IF NOT EXISTS cageside.clips (
  token cageside.id PRIMARY KEY,
  tournament_id cageside.id NOT NULL,
  game_id cageside.id NOT NULL,
  name cageside.label NOT NULL,
  state text NOT NULL CHECK (state IN ('processing', 'completed', 'failed')),
  is_public boolean NOT NULL,
  is_curated boolean NOT NULL,
  duration_ms cageside.amount NOT NULL,
  views cageside.amount NOT NULL,
  likes cageside.amount NOT NULL,
  created_time cageside.instant NOT NULL,
  video_720_url cageside.label,
  video_360_url cageside.label,
  video_72_url cageside.label,
  row_xid xid8 NOT NULL,
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS clips_game ON cageside.clips (tournament_id, game_id);

CREATE TABLE IF NOT EXISTS cageside.stills (
  id cageside.league_number PRIMARY KEY,
  tournament_id cageside.id NOT NULL REFERENCES cageside.tournaments ON DELETE CASCADE,
  token cageside.id NOT NULL UNIQUE,
  player_id cageside.id,
  url cageside.label NOT NULL,
  width cageside.amount,
  height cageside.amount,
  source cageside.label NOT NULL,
  is_hero boolean NOT NULL,
  is_curated boolean NOT NULL,
  taken_time cageside.instant NOT NULL,
  row_xid xid8 NOT NULL,
  UNIQUE (tournament_id, id),
  FOREIGN KEY (tournament_id, player_id) REFERENCES cageside.players
    ON DELETE SET NULL (player_id)
);

CREATE TABLE IF NOT EXISTS cageside.still_tags (
  tournament_id cageside.id NOT NULL,
  still_id cageside.league_number NOT NULL,
  tag cageside.label NOT NULL,
  row_xid xid8 NOT NULL,
  -- A tag of more than some 2,600 bytes does not fit into the index and is refused.
  PRIMARY KEY (tournament_id, still_id, tag),
  FOREIGN KEY (tournament_id, still_id) REFERENCES cageside.stills (tournament_id, id)
    ON DELETE CASCADE
);

-- Cages -----------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS cageside.cages (
  number smallint PRIMARY KEY CHECK (number BETWEEN 1 AND 6),
  status text NOT NULL CHECK (status IN ('idle', 'assigned', 'active', 'paused', 'completed')),
  tournament_id cageside.id,
  game_id cageside.id,
  paused_since cageside.instant,
  update_time cageside.instant NOT NULL,
  row_xid xid8 NOT NULL,
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games MATCH FULL ON DELETE SET NULL
);

CREATE TABLE IF NOT EXISTS cageside.cage_queue (
  cage smallint NOT NULL CHECK (cage BETWEEN 1 AND 6),
  position cageside.amount NOT NULL,
  tournament_id cageside.id NOT NULL,
  game_id cageside.id NOT NULL,
  row_xid xid8 NOT NULL,
  PRIMARY KEY (cage, position),
  FOREIGN KEY (tournament_id, game_id) REFERENCES cageside.games ON DELETE CASCADE
);

-- Changes ---------------------------------------------------------------------------------------

-- tournament_id is null for a cage without a game. key holds the columns of the primary key.
CREATE TABLE IF NOT EXISTS cageside.tombstones (
  table_name text NOT NULL,
  tournament_id text COLLATE "C",
  key jsonb NOT NULL,
  row_xid xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX IF NOT EXISTS tombstones_row_xid ON cageside.tombstones (row_xid);

CREATE OR REPLACE FUNCTION cageside.stamp() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.row_xid := pg_catalog.pg_current_xact_id();
  RETURN NEW;
END $$;

-- Its arguments are the columns of the table's key. It runs as its owner, so that those who write the
-- other tables need no right to write tombstones, and cannot remove one.
CREATE OR REPLACE FUNCTION cageside.bury() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  tournament constant text := CASE TG_TABLE_NAME WHEN 'tournaments' THEN 'id' ELSE 'tournament_id' END;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    EXECUTE format(
      'INSERT INTO cageside.tombstones (table_name, tournament_id, key)
       SELECT %L, old_row ->> %L, (
         SELECT jsonb_object_agg(part, old_row -> part) FROM unnest(%L::text[]) AS part
       ) FROM (SELECT to_jsonb(t) AS old_row FROM %I.%I AS t) AS buried',
      TG_TABLE_NAME, tournament, TG_ARGV, TG_TABLE_SCHEMA, TG_TABLE_NAME
    );
    RETURN NULL;
  END IF;
  INSERT INTO cageside.tombstones (table_name, tournament_id, key)
  SELECT TG_TABLE_NAME, to_jsonb(OLD) ->> tournament, jsonb_object_agg(part, to_jsonb(OLD) -> part)
  FROM unnest(TG_ARGV) AS part;
  RETURN NULL;
END $$;

-- Triggers and index of every table with a row_xid. ALWAYS: rows that arrive by replication count too.
DO $$
DECLARE
  tracked regclass;
  short_name name;
  key_columns text[];
  arguments text;
  moved text;
BEGIN
  FOR tracked, short_name, key_columns IN
    SELECT class.oid, class.relname, array_agg(attribute.attname ORDER BY ordinality)
    FROM pg_class AS class
    JOIN pg_constraint AS constr ON constr.conrelid = class.oid AND constr.contype = 'p'
    CROSS JOIN unnest(constr.conkey) WITH ORDINALITY AS part (attnum, ordinality)
    JOIN pg_attribute AS attribute
      ON attribute.attrelid = class.oid AND attribute.attnum = part.attnum
    WHERE class.relnamespace = 'cageside'::regnamespace
    GROUP BY class.oid, class.relname
  LOOP
    CONTINUE WHEN EXISTS (
      SELECT FROM pg_trigger WHERE tgrelid = tracked AND tgname = 'stamp'
    );
    SELECT string_agg(quote_literal(part), ', ') INTO arguments FROM unnest(key_columns) AS part;
    -- A row moves by its key, or by its tournament where it is a part of one; cages are not.
    SELECT string_agg(format('OLD.%1$I IS DISTINCT FROM NEW.%1$I', part), ' OR ') INTO moved
    FROM unnest(
      key_columns || CASE
        WHEN short_name IN ('tournaments', 'cages', 'cage_queue') THEN ARRAY[]::text[]
        ELSE ARRAY['tournament_id']
      END
    ) AS part;
    EXECUTE format('CREATE INDEX %I ON %s (row_xid)', short_name || '_row_xid', tracked);
    EXECUTE format(
      'CREATE TRIGGER stamp BEFORE INSERT OR UPDATE ON %s
       FOR EACH ROW EXECUTE FUNCTION cageside.stamp()', tracked);
    EXECUTE format(
      'CREATE TRIGGER bury AFTER DELETE ON %s
       FOR EACH ROW EXECUTE FUNCTION cageside.bury(%s)', tracked, arguments);
    EXECUTE format(
      'CREATE TRIGGER bury_moved AFTER UPDATE ON %s FOR EACH ROW WHEN (%s)
       EXECUTE FUNCTION cageside.bury(%s)', tracked, moved, arguments);
    EXECUTE format(
      'CREATE TRIGGER bury_all BEFORE TRUNCATE ON %s
       FOR EACH STATEMENT EXECUTE FUNCTION cageside.bury(%s)', tracked, arguments);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER stamp', tracked);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER bury', tracked);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER bury_moved', tracked);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER bury_all', tracked);
  END LOOP;
END $$;

-- Who may read ----------------------------------------------------------------------------------
