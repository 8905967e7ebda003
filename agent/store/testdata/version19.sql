-- Rows as version 19 wrote them: what version 18 does not have.
INSERT INTO plans (id, workspace, number, uid, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, version)
VALUES (1, '/home/ada/project', 1, '00112233445566778899aabbccddeeff', 'c1', 'tidy up', 'awaiting_approval', 1, 1, 1767323045678912345, 1767323045678912345, 1, 1, '{}', 4);
