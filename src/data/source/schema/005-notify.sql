-- Every transaction that writes notifies once, so that a reader who listens looks at once.

-- Notifications of one transaction that are equal are sent as one.
CREATE FUNCTION cageside.notify_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_catalog.pg_notify('cageside', '');
  RETURN NULL;
END $$;

-- On every table whose rows carry a row_xid.
DO $$
DECLARE
  tracked regclass;
BEGIN
  FOR tracked IN
    SELECT tgrelid FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = 'cageside'::regnamespace AND tgname = 'set_row_xid'
  LOOP
    EXECUTE format(
      'CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
       FOR EACH STATEMENT EXECUTE FUNCTION cageside.notify_change()', tracked);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER notify_change', tracked);
  END LOOP;
END $$;
