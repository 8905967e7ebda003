-- What was said in each conversation, so that it can go on in another session.
CREATE TABLE conversations (
	id        INTEGER PRIMARY KEY,
	workspace TEXT    NOT NULL, -- absolute directory
	name      TEXT    NOT NULL, -- c and a random number
	updated   INTEGER NOT NULL, -- nanoseconds since 1970 in UTC
	upto      INTEGER NOT NULL, -- seq of the last exchange that the summary stands for, 0 for none
	summary   TEXT    NOT NULL, -- JSON
	UNIQUE (workspace, name)
) STRICT;

CREATE INDEX conversations_updated ON conversations (workspace, updated);

-- A row never changes. It goes when the summary stands for it.
CREATE TABLE exchanges (
	seq          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	at           INTEGER NOT NULL,
	request      TEXT    NOT NULL,
	answer       TEXT    NOT NULL
) STRICT;

CREATE INDEX exchanges_conversation ON exchanges (conversation, seq);
