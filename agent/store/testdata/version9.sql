-- Rows as version 9 wrote them: what version 8 does not have.
INSERT INTO plans (workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, rating, version)
	VALUES ('/home/ada/project', 6, 'c1', 'tidy up', 'awaiting_approval', 1, 1, 0, 0, 0, 0, '{}', 0, 1);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, unfinished)
	VALUES (1, 1, 0, 'model', 0, '', 'Do it', 0, 'null', 'null', 'null', 'null',
		'{"stopped":"Ended.","refused":[{"path":"c.go","reason":"not there"}],"notTaken":"Blocks."}');
