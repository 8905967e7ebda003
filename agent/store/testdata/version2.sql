-- Rows as version 2 wrote them: what version 1 does not have.
INSERT INTO plans (id, workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, version, rating)
	VALUES (1, '/home/ada/project', 4, 'c2', 'rated', 'completed', 0, 1, 1767323045678912345, 1767323046678912345, 0, 0, '{}', 9, 5);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, note, prompt_tokens, completion_tokens)
	VALUES (1, 1, 0, 'user', 1767323045678912345, 'sha256:0', 'Do it', 0, 'null', 'null', 'null', 'null', 'back to revision 1', 120, 34);
INSERT INTO decisions (id, plan, revision, hash, verdict, path, hunks, operation, reason, who, client, at, stale)
	VALUES (1, 1, 1, 'sha256:0', 'approve', '', '["h1"]', '', '', 'user', 'Helix', 1767323045678912345, '["h2"]');
