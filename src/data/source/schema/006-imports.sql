-- Which import wrote a tournament, as an import of files removes what is gone from them in its own alone; and final
-- places that the league itself gives, whatever its format.

ALTER TABLE cageside.tournaments ADD COLUMN source cageside.label;
ALTER TABLE cageside.players ADD COLUMN placement cageside.amount;
