-- Rows as version 17 wrote them: what version 16 does not have.
INSERT INTO outside_reach (folder, agent, reach, owner, since)
VALUES ('/home/ada/project', 'mine', '{"program":"/usr/bin/agent"}', 1000, 1767323046678912345);
