-- Rows as version 20 wrote them: what version 19 does not have.
INSERT INTO plans (id, workspace, number, uid, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, shared, version)
VALUES (1, '/home/ada/project', 1, '00112233445566778899aabbccddeeff', 'c1', 'tidy up', 'awaiting_approval', 1, 1, 1767323045678912345, 1767323045678912345, 1, 1, '{}',
	'{"by":"Ada <ada@example.org>","signature":"unsigned","at":"2026-01-02T03:04:05Z","revisions":[1],"comments":2}', 4);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, note, prompt_tokens, completion_tokens, cost, content)
VALUES (1, 1, 0, 'user', 1767323045678912345, 'sha256:00', 'tidy up', 1, '[]', '[]', '[]', '[]', 'imported', 0, 0, 0,
	'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
INSERT INTO documents (plan, document) VALUES (1, '{"format":"redline-plan"}');
INSERT INTO decisions (plan, revision, hash, verdict, path, hunks, stale, operation, reason, who, client, at, commands, way)
VALUES (1, 1, 'sha256:00', 'reject', '', 'null', 'null', '', '', 'user', 'cli', 1767323045678912345, 'null', 'web');
