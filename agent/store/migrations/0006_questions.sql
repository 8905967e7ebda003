-- Turns that wait for their user's answer, with all that is needed to go on: at
-- most one in a conversation. A row goes when the answer was worked out, or the
-- question was given up.
CREATE TABLE questions (
	id           INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	workspace    TEXT    NOT NULL,                  -- absolute directory
	conversation TEXT    NOT NULL,
	asked        INTEGER NOT NULL,                  -- nanoseconds since 1970 in UTC
	record       TEXT    NOT NULL,                  -- JSON, the agent's own
	UNIQUE (workspace, conversation)
) STRICT;
