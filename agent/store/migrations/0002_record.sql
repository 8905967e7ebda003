-- What a plan's history needs besides: ratings, how a revision came about and
-- what it cost, what a decision left out, and the audit log.

ALTER TABLE plans ADD COLUMN rating INTEGER NOT NULL DEFAULT 0; -- the user's own, 1 to 5; 0 for none

ALTER TABLE revisions ADD COLUMN note              TEXT    NOT NULL DEFAULT ''; -- how the user made it
ALTER TABLE revisions ADD COLUMN prompt_tokens     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE revisions ADD COLUMN completion_tokens INTEGER NOT NULL DEFAULT 0;

ALTER TABLE decisions ADD COLUMN stale TEXT NOT NULL DEFAULT 'null'; -- hunks left out since they were stale

-- A row never changes. hash is keyed, and covers the row and the hash of the
-- one before.
CREATE TABLE audit (
	seq       INTEGER PRIMARY KEY, -- 1, 2, 3 … of all workspaces
	workspace TEXT    NOT NULL,
	record    TEXT    NOT NULL,    -- JSON, as it was hashed
	hash      TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_workspace ON audit (workspace, seq);
CREATE INDEX plans_conversation ON plans (workspace, conversation, number);

CREATE INDEX executions_plan ON executions (plan);
CREATE INDEX executions_decision ON executions (decision);
