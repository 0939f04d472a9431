-- Readers have rights on the views of this schema alone, which hold public rows alone. The views, roles and
-- rights are made at the end of every migration: see ../access.sql.

CREATE SCHEMA IF NOT EXISTS cageside_public;

-- Names a tournament or clip that is not public to readers who know its id already, and to no others.
CREATE FUNCTION cageside.digest(value text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN encode(sha256(convert_to(value, 'UTF8')), 'hex');
