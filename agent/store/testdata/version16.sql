-- Rows as version 16 wrote them: what version 15 does not have.
INSERT INTO conversations (id, workspace, name, updated, upto, summary) VALUES (1, '/home/ada/project', 'c1', 1767323046678912345, 0, '{}');
INSERT INTO exchanges (conversation, at, request, answer, reads)
VALUES (1, 1767323046678912345, 'Why?', 'So.', '[{"path":"a.go","of":2,"pieces":[{"first":1,"last":2,"hash":"0123456789ab"}]}]');
