-- Rows as version 7 wrote them: what version 6 does not have.
INSERT INTO conversations (id, workspace, name, updated, upto, summary)
	VALUES (2, '/home/ada/project', 'c0a1b2c3d', 1767323046678912345, 3, '{"text":"They tidied up.","names":["a.go"],"left":2,"turns":1}');
INSERT INTO exchanges (seq, conversation, at, request, answer)
	VALUES (4, 2, 1767323045678912345, 'tidy up', 'Done.');
