-- Rows as version 3 wrote them: what version 2 does not have.
INSERT INTO plans (id, workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, version, rating)
	VALUES (1, '/home/ada/project', 5, 'c3', 'priced', 'completed', 0, 1, 1767323045678912345, 1767323046678912345, 0, 0, '{}', 2, 0);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, note, prompt_tokens, completion_tokens, cost)
	VALUES (1, 1, 0, 'model', 1767323045678912345, 'sha256:0', 'Do it', 0, 'null', 'null', 'null', 'null', '', 120, 34, 0.0125);
