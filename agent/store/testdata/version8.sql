-- Rows as version 8 wrote them: what version 7 does not have.
INSERT INTO reuse (workspace, key, plan, kept, record)
	VALUES ('/home/ada/project', 'k1', 5, 1767323046678912345, '{"answer":"Done."}');
