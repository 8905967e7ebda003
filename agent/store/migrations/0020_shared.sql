-- What a plan has from elsewhere: the content hash of each revision that was shared or came from
-- elsewhere, what came last, and its document as it was shared last, without its texts.
ALTER TABLE revisions ADD COLUMN content TEXT NOT NULL DEFAULT ''; -- sha256: and hexadecimal digits
ALTER TABLE plans     ADD COLUMN shared  TEXT NOT NULL DEFAULT 'null'; -- JSON
CREATE TABLE documents (
	plan     INTEGER PRIMARY KEY REFERENCES plans (id) ON DELETE CASCADE,
	document TEXT    NOT NULL -- JSON, the agent's own
) STRICT;
-- By which way a decision came: with it, a colleague sees how.
ALTER TABLE decisions ADD COLUMN way TEXT NOT NULL DEFAULT '';
