-- Addresses of the smaller files of a recording, cages beyond the sixth, when a version was applied.

ALTER TABLE cageside.schema_version
  ADD PRIMARY KEY (version),
  ADD COLUMN applied_at timestamptz NOT NULL DEFAULT clock_timestamp();

-- The flags has_720, has_360 and has_72 become the addresses that they stood for: beside the original,
-- with the height before the extension. Changing the type rewrites the table once and keeps row_xid.
CREATE FUNCTION cageside.usual_proxy(url text, height text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN regexp_replace(url, '(\.[^./]*)?$', height || '\1');

ALTER TABLE cageside.recordings
  ALTER COLUMN has_720 DROP NOT NULL,
  ALTER COLUMN has_360 DROP NOT NULL,
  ALTER COLUMN has_72 DROP NOT NULL,
  ALTER COLUMN has_720 TYPE cageside.label USING CASE
    WHEN has_720 AND cageside.fits(cageside.usual_proxy(video_url, '_720p'), 4096)
    THEN cageside.usual_proxy(video_url, '_720p') END,
  ALTER COLUMN has_360 TYPE cageside.label USING CASE
    WHEN has_360 AND cageside.fits(cageside.usual_proxy(video_url, '_360p'), 4096)
    THEN cageside.usual_proxy(video_url, '_360p') END,
  ALTER COLUMN has_72 TYPE cageside.label USING CASE
    WHEN has_72 AND cageside.fits(cageside.usual_proxy(video_url, '_72p'), 4096)
    THEN cageside.usual_proxy(video_url, '_72p') END;
ALTER TABLE cageside.recordings RENAME COLUMN has_720 TO proxy_720_url;
ALTER TABLE cageside.recordings RENAME COLUMN has_360 TO proxy_360_url;
ALTER TABLE cageside.recordings RENAME COLUMN has_72 TO proxy_72_url;

DROP FUNCTION cageside.usual_proxy;

ALTER TABLE cageside.cages
  DROP CONSTRAINT cages_number_check,
  ADD CONSTRAINT cages_number_check CHECK (number BETWEEN 1 AND 9999);
ALTER TABLE cageside.cage_queue
  DROP CONSTRAINT cage_queue_cage_check,
  ADD CONSTRAINT cage_queue_cage_check CHECK (cage BETWEEN 1 AND 9999);

-- Triggers are named after their functions.
ALTER FUNCTION cageside.stamp() RENAME TO set_row_xid;
ALTER FUNCTION cageside.bury() RENAME TO record_tombstone;
DO $$
DECLARE
  tracked regclass;
  old_name name;
  new_name name;
BEGIN
  FOR tracked, old_name, new_name IN
    SELECT trigger.tgrelid, trigger.tgname, renamed.new_name
    FROM pg_trigger AS trigger
    JOIN pg_class AS class ON class.oid = trigger.tgrelid
    JOIN (VALUES
      ('stamp', 'set_row_xid'),
      ('bury', 'record_tombstone'),
      ('bury_moved', 'record_tombstone_moved'),
      ('bury_all', 'record_tombstone_truncate')
    ) AS renamed (old_name, new_name) ON renamed.old_name = trigger.tgname
    WHERE class.relnamespace = 'cageside'::regnamespace AND NOT trigger.tgisinternal
  LOOP
    EXECUTE format('ALTER TRIGGER %I ON %s RENAME TO %I', old_name, tracked, new_name);
  END LOOP;
END $$;
