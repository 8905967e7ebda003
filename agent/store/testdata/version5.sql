-- Rows as version 5 wrote them: what version 4 does not have.
INSERT INTO traces (seq, workspace, id, turn, plan, ended, trace)
	VALUES (1, '/home/ada/project', '0a1b2c3d-t2', 't2', 4, 1767323046678912345,
	'{"id":"0a1b2c3d-t2","turn":"t2","conversation":"c1","request":"tidy up","plan":4,"state":"done","began":"2026-01-02T03:04:05.678912345Z","ended":"2026-01-02T03:04:06.678912345Z","answer":"Done.","steps":[{"kind":"reply","at":"2026-01-02T03:04:06Z","name":"m","summary":"stop","usage":{"prompt":120,"completion":34},"took_ms":500}],"left":2}');
