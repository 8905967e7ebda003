-- Rows as version 14 wrote them: what version 13 does not have.
INSERT INTO destinations (workspace, destination, told)
VALUES ('/home/ada/project', 'https://api.anthropic.com/v1', 1767323046678912345);
