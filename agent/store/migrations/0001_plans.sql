-- Times are nanoseconds since 1970 in UTC, 0 for none. Lists and maps are JSON.

CREATE TABLE plans (
	id             INTEGER PRIMARY KEY,
	workspace      TEXT    NOT NULL, -- absolute directory
	number         INTEGER NOT NULL, -- 1, 2, 3 … in the workspace
	conversation   TEXT    NOT NULL,
	goal           TEXT    NOT NULL,
	state          TEXT    NOT NULL,
	open           INTEGER NOT NULL, -- 1 while something is left to do or decide
	current        INTEGER NOT NULL, -- number of a revision
	created        INTEGER NOT NULL,
	updated        INTEGER NOT NULL,
	next_hunk      INTEGER NOT NULL,
	next_operation INTEGER NOT NULL,
	progress       TEXT    NOT NULL,
	version        INTEGER NOT NULL, -- counts the changes of this row
	UNIQUE (workspace, number)
) STRICT;

CREATE INDEX plans_open ON plans (workspace, number) WHERE open = 1;

-- A row never changes.
CREATE TABLE revisions (
	plan        INTEGER NOT NULL REFERENCES plans (id),
	number      INTEGER NOT NULL,
	parent      INTEGER NOT NULL, -- 0 for none
	author      TEXT    NOT NULL,
	created     INTEGER NOT NULL,
	hash        TEXT    NOT NULL,
	description TEXT    NOT NULL,
	text_only   INTEGER NOT NULL,
	predicted   TEXT    NOT NULL,
	steps       TEXT    NOT NULL,
	operations  TEXT    NOT NULL,
	changes     TEXT    NOT NULL,
	UNIQUE (plan, number)
) STRICT;

-- Base and proposed texts, each once, by "sha256:…" of its bytes.
CREATE TABLE texts (
	blob TEXT NOT NULL UNIQUE,
	text BLOB NOT NULL
) STRICT;

-- A row never changes.
CREATE TABLE decisions (
	id        INTEGER PRIMARY KEY,
	plan      INTEGER NOT NULL,
	revision  INTEGER NOT NULL,
	hash      TEXT    NOT NULL,
	verdict   TEXT    NOT NULL,
	path      TEXT    NOT NULL,
	hunks     TEXT    NOT NULL,
	operation TEXT    NOT NULL,
	reason    TEXT    NOT NULL,
	who       TEXT    NOT NULL,
	client    TEXT    NOT NULL,
	at        INTEGER NOT NULL,
	FOREIGN KEY (plan, revision) REFERENCES revisions (plan, number)
) STRICT;

CREATE INDEX decisions_plan ON decisions (plan);

-- Written before anything is sent to an editor, finished once its text told.
CREATE TABLE executions (
	id       INTEGER PRIMARY KEY,
	plan     INTEGER NOT NULL REFERENCES plans (id),
	decision INTEGER NOT NULL REFERENCES decisions (id),
	paths    TEXT    NOT NULL,
	process  INTEGER NOT NULL, -- id of the process that carries it out
	started  INTEGER NOT NULL,
	finished INTEGER NOT NULL,
	outcome  TEXT    NOT NULL  -- the state that the plan was left in
) STRICT;

CREATE INDEX executions_open ON executions (plan) WHERE finished = 0;
