-- Roles and their rights. Applied at the end of every run of migrate, which also restores the rights of a
-- database restored without its roles; left out if the owner may not create the roles.

-- Roles are cluster-wide: a migration of another database can create them concurrently.
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

-- Earlier versions granted readers SELECT on all present and future tables.
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

-- Writers write the tables of the league; triggers write the rest with the rights of their owner.
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

