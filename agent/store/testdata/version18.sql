-- Rows as version 18 wrote them: what version 17 does not have.
INSERT INTO plans (id, workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, version)
VALUES (1, '/home/ada/project', 1, 'c1', 'tidy up', 'awaiting_approval', 1, 1, 1767323045678912345, 1767323045678912345, 1, 1, '{}', 4);
INSERT INTO handovers (id, plan, revision, hash, choice, way, client, process, asked, take_by, begin_by, state, editor, taken, answer, answered)
VALUES (7, 1, 1, 'sha256:00', '{"approve":{"plan":true}}', 'web', 'redline review', 4711, 1767323046678912345, 1767323051678912345, 1767323106678912345,
	'ended', 'Neovim', 1767323047678912345, '{"failed":"no"}', 1767323048678912345);
