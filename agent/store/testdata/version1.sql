-- Rows as version 1 wrote them.
INSERT INTO plans VALUES (1, '/home/ada/project', 3, 'c1', 'tidy up', 'reviewing', 1, 1, 1767323045678912345, 1767323046678912345, 1, 2,
	'{"hunks":{"h1":{"status":"rejected","reason":"no"}},"files":{"a":{"revision":1,"status":"failed","move":"applied","reason":"full"}},"commands":{"o2":{"status":"failed","exitCode":1,"output":"x","reason":"y"}}}', 4);
INSERT INTO revisions VALUES (1, 1, 0, 'model', 1767323045678912345,
	'sha256:3af4da9de63f8ce4112bae7119da8544da93665cb5fa79fc73e4234c63df9307',
	'Do it', 0, '["a"]',
	'[{"id":"s1","description":"d","rationale":"r","risk":"k","dependsOn":["s0"]}]',
	'[{"id":"o1","step":"s1","tool":"edit_file","args":{"path":"a"},"path":"a"},{"id":"o2","step":"s1","tool":"run_command","args":{"command":"make"},"command":"make"}]',
	'[{"path":"a","newPath":"b","action":"rename","base":"sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865","proposed":"sha256:53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3","baseExists":true,"mode":420,"hunks":[{"id":"h1","old":{"Start":0,"End":2},"new":{"Start":0,"End":2},"added":1,"removed":1,"match":"exact"}],"operations":["o1"]}]');
INSERT INTO texts VALUES ('sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865', x'310a');
INSERT INTO texts VALUES ('sha256:53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3', x'320a');
INSERT INTO decisions VALUES (1, 1, 1, 'sha256:3af4da9de63f8ce4112bae7119da8544da93665cb5fa79fc73e4234c63df9307', 'approve', 'a', '["h1"]', 'o1', 'because', 'user', 'Helix', 1767323045678912345);
INSERT INTO executions VALUES (1, 1, 1, '["a"]', 42, 1767323045678912345, 0, '');
