-- Rows as version 11 wrote them: what version 10 does not have.
INSERT INTO trial_folders (folder, owner, since, allowed) VALUES ('/home/ada/other', 1000, 1767323046678912345, 0);
