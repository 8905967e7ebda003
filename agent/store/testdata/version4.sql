-- Rows as version 4 wrote them: what version 3 does not have.
INSERT INTO plans (id, workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, version, rating)
	VALUES (1, '/home/ada/project', 5, 'c3', 'test it', 'executing', 1, 1, 1767323045678912345, 1767323046678912345, 0, 1, '{"commands":{"o1":{"status":"running"}}}', 3, 0);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, note, prompt_tokens, completion_tokens)
	VALUES (1, 1, 0, 'model', 1767323045678912345, 'sha256:0', 'Test it', 0, 'null', 'null', '[{"id":"o1","tool":"run_command","args":{"command":"make"},"command":"make"}]', 'null', '', 0, 0);
INSERT INTO decisions (id, plan, revision, hash, verdict, path, hunks, operation, reason, who, client, at, stale, commands)
	VALUES (1, 1, 1, 'sha256:0', 'approve', '', 'null', 'o1', '', 'user', 'Helix', 1767323045678912345, 'null', '["o1"]');
INSERT INTO executions (id, plan, decision, paths, process, started, finished, outcome, commands)
	VALUES (1, 1, 1, '[]', 42, 1767323045678912345, 0, '', '["o1"]');
