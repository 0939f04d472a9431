-- Weight classes as the league writes them, beside the whole pounds of weight_class; who built and who drives a bot; and
-- formats of single stages, such as groups before an elimination.

ALTER TABLE cageside.tournaments ADD COLUMN weight_class_name cageside.label;
ALTER TABLE cageside.tournaments ADD COLUMN weight_grams cageside.amount;
ALTER TABLE cageside.players ADD COLUMN team cageside.label;
ALTER TABLE cageside.players ADD COLUMN driver cageside.label;
ALTER TABLE cageside.brackets ADD COLUMN format_type text
  CHECK (format_type IN ('single_elimination', 'double_elimination', 'round_robin', 'swiss'));
