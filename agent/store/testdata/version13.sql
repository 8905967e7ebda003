-- Rows as version 13 wrote them: what version 12 does not have.
INSERT INTO plans (workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, rating, version)
	VALUES ('/home/ada/project', 8, 'c1', 'run the tests', 'awaiting_approval', 1, 1, 0, 0, 0, 0, '{}', 0, 1);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, unfinished, report)
	SELECT id, 1, 0, 'model', 0, '', 'Test', 0, 'null', 'null', 'null', 'null', '{}', 1 FROM plans WHERE number = 8;
