-- A league in the schema of version 3: a row in every table.
INSERT INTO cageside.tournaments VALUES
  ('spring', 'Spring 30lb', '2026-02-01', NULL, '2026-03-14 15:00', NULL, '2026-03-14 18:00', 30, true,
   false, false, 'public', 'single_elimination', 'points', '{KO,JD}', 1, '1'),
  ('secret', 'Secret', '2026-02-01', NULL, NULL, NULL, '2026-03-14 18:00', 3, false, true, true,
   'private', 'round_robin', 'points', '{}', 1, '1');
INSERT INTO cageside.brackets VALUES ('spring', 'W', 0, 'Winners', false, '1');
INSERT INTO cageside.rounds VALUES ('spring', 'W', 0, 'Finals', 1, '1');
INSERT INTO cageside.players VALUES
  ('spring', 'a', 'Axe', 1, false, false, '1'),
  ('spring', 'b', 'Béb 😀', NULL, false, true, '1');
INSERT INTO cageside.games VALUES
  ('spring', 'W-0', 'W', 0, 0, 'W:1-1', 'done', 'Cage 2', 'KO', 2, 180, 90, NULL, NULL, NULL,
   '2026-03-14 16:00', '2026-03-14 16:02', NULL, '', '1');
INSERT INTO cageside.slots VALUES
  ('spring', 'W-0', 0, 'a', NULL, 1, 'winner', true, false, NULL, NULL, '1'),
  ('spring', 'W-0', 1, 'b', NULL, 0, 'loser', true, true, 5, NULL, '1');
INSERT INTO cageside.pauses VALUES ('spring', 'W-0', 0, '2026-03-14 16:00:30', NULL, '1');
INSERT INTO cageside.judge_lines VALUES ('spring', 'W-0', 0, 'A: damage 3-2', '1');
INSERT INTO cageside.recordings VALUES
  (1, 'spring', 'W-0', 'Cage 2', 'Overhead', 'https://media.example/v1.2/film.01.mp4', 200,
   '2026-03-14 15:59:00.25', 'https://media.example/v1.2/film.01_720p.mp4', NULL,
   'https://small.example/1.mp4', '1'),
  (2, 'spring', 'W-0', 'Cage 2', 'Door', 'https://media.example/v1.2/no-extension', NULL, NULL, NULL,
   NULL, NULL, '1'),
  (3, 'spring', 'W-0', 'Cage 2', 'Rail', NULL, 404, NULL, NULL, NULL, NULL, '1');
INSERT INTO cageside.clips VALUES
  ('clip', 'spring', 'W-0', 'Flip', 'completed', true, false, 5000, 7, 0, '2026-03-14 17:00', NULL,
   'https://media.example/clip.mp4', NULL, '1');
INSERT INTO cageside.stills VALUES
  (1, 'spring', 'still', 'a', 'https://media.example/still.jpg', 1920, NULL, 'pit', true, true,
   '2026-03-14 12:00', '1');
INSERT INTO cageside.still_tags VALUES ('spring', 1, 'Hero-Bot', '1');
INSERT INTO cageside.cages VALUES (77, 'completed', 'spring', 'W-0', NULL, '2026-03-14 16:03', '1');
INSERT INTO cageside.cage_queue VALUES (77, 0, 'spring', 'W-0', '1');
