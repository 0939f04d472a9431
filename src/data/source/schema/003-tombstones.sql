-- Tombstones have an age, and those that no reader needs any more are removed by whoever deletes rows.

-- Those of before count from now on.
ALTER TABLE cageside.tombstones ADD COLUMN recorded_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX tombstones_recorded_at ON cageside.tombstones (recorded_at);

-- A reader that was away for longer finds deletions by comparing. Rows that another session removes
-- right now are left to it.
CREATE FUNCTION cageside.prune_tombstones() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM cageside.tombstones WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM cageside.tombstones
    WHERE recorded_at < now() - interval '30 days'
    ORDER BY recorded_at LIMIT 10000
    FOR UPDATE SKIP LOCKED
  ))
$$;
REVOKE EXECUTE ON FUNCTION cageside.prune_tombstones() FROM PUBLIC;

CREATE OR REPLACE FUNCTION cageside.record_tombstone() RETURNS trigger
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
       ) FROM (SELECT to_jsonb(t) AS old_row FROM %I.%I AS t) AS deleted',
      TG_TABLE_NAME, tournament, TG_ARGV, TG_TABLE_SCHEMA, TG_TABLE_NAME
    );
    PERFORM cageside.prune_tombstones();
    RETURN NULL;
  END IF;
  INSERT INTO cageside.tombstones (table_name, tournament_id, key)
  SELECT TG_TABLE_NAME, to_jsonb(OLD) ->> tournament, jsonb_object_agg(part, to_jsonb(OLD) -> part)
  FROM unnest(TG_ARGV) AS part;
  IF random() < 0.01 THEN
    PERFORM cageside.prune_tombstones();
  END IF;
  RETURN NULL;
END $$;
