-- Decisions that the page of redline review hands over to the server of the editor that has the workspace
-- open. Older programs delete plans without knowing of them.
CREATE TABLE handovers (
	id       INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: it names a lock
	plan     INTEGER NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
	revision INTEGER NOT NULL, -- which was shown
	hash     TEXT    NOT NULL, -- its approval hash
	choice   TEXT    NOT NULL, -- what was decided: JSON, the agent's own
	way      TEXT    NOT NULL, -- how it came about, as in approval.ways
	client   TEXT    NOT NULL, -- the program it comes from
	process  INTEGER NOT NULL, -- which asked
	asked    INTEGER NOT NULL, -- Unix time in nanoseconds, as below
	take_by  INTEGER NOT NULL, -- nobody takes it up later
	begin_by INTEGER NOT NULL, -- nothing of it is begun later
	state    TEXT    NOT NULL, -- asked, taken, begun, running, ended, withdrawn
	editor   TEXT    NOT NULL DEFAULT '', -- the editor whose server has taken it
	taken    INTEGER NOT NULL DEFAULT 0,
	answer   TEXT    NOT NULL DEFAULT '', -- JSON, the agent's own
	answered INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX handovers_plan ON handovers (plan);
CREATE INDEX handovers_open ON handovers (state) WHERE state = 'asked';
