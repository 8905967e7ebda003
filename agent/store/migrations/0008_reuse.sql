-- What a model did when it was asked something, to be done again when the same is
-- asked over files that are the same. A row goes with its plan.
CREATE TABLE reuse (
	workspace TEXT    NOT NULL, -- absolute directory
	key       TEXT    NOT NULL, -- of all that the model was told
	plan      INTEGER NOT NULL, -- number of the plan that came of it
	kept      INTEGER NOT NULL, -- nanoseconds since 1970 in UTC
	record    TEXT    NOT NULL, -- JSON, the agent's own
	PRIMARY KEY (workspace, key)
) STRICT;

CREATE INDEX reuse_plan ON reuse (workspace, plan);
