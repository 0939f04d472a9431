-- Which import wrote a tournament: an import of files removes what is gone from them in its own alone.

ALTER TABLE cageside.tournaments ADD COLUMN source cageside.label;
