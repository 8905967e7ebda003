-- Rows as version 15 wrote them: what version 14 does not have.
INSERT INTO moved (was, workspace) VALUES ('/home/ada/link', '/home/ada/project');
INSERT INTO audit (seq, workspace, record, hash) VALUES (1, '/home/ada/link', '{}', 'h');
