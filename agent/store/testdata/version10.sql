-- Rows as version 10 wrote them: what version 9 does not have.
INSERT INTO plans (workspace, number, conversation, goal, state, open, current, created, updated, next_hunk, next_operation, progress, trials, rating, version)
	VALUES ('/home/ada/project', 7, 'c1', 'sort the names', 'awaiting_approval', 1, 1, 0, 0, 0, 0, '{}',
		'{"trials":[{"id":"t1","command":"go test ./...","revision":1,"texts":[{"path":"a.go"}],"exitCode":1,"millis":2300,"baseline":{"exitCode":0,"millis":5},"output":"FAIL","world":"overlay","at":"2026-11-23T10:00:00Z"}],"next":1}', 0, 1);
INSERT INTO revisions (plan, number, parent, author, created, hash, description, text_only, predicted, steps, operations, changes, unfinished)
	VALUES (1, 1, 0, 'model', 0, '', 'Sort', 0, 'null', 'null', 'null', 'null', '{}');
INSERT INTO trial_folders (folder, owner, since) VALUES ('/home/ada/project', 1000, 1767323046678912345);
