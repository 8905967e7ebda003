-- Rows as version 12 wrote them: what version 11 does not have.
INSERT INTO conversations (workspace, name, updated, upto, summary, choices)
VALUES ('/home/ada/project', 'c1', 1767323046678912345, 0, '{}', '{"agent":{"name":"plan"},"mode":"plan"}');
