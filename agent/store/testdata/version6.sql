-- Rows as version 6 wrote them: what version 5 does not have.
INSERT INTO questions (id, workspace, conversation, asked, record)
	VALUES (7, '/home/ada/project', 'c1', 1767323046678912345, '{"question":"Which one?"}');
