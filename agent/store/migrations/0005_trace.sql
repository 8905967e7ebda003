-- What the agent did in each turn, for inspection. Only the newest of a
-- workspace are kept.
CREATE TABLE traces (
	seq       INTEGER PRIMARY KEY,
	workspace TEXT    NOT NULL,        -- absolute directory
	id        TEXT    NOT NULL UNIQUE, -- of all sessions
	turn      TEXT    NOT NULL,        -- in its session
	plan      INTEGER NOT NULL,        -- number of the plan that the turn made or changed, 0 for none
	ended     INTEGER NOT NULL,        -- nanoseconds since 1970 in UTC
	trace     TEXT    NOT NULL         -- JSON
) STRICT;

CREATE INDEX traces_workspace ON traces (workspace, seq);
