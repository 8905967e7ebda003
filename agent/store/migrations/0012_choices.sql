-- What the user has chosen for a conversation, for instance its agent: JSON, empty for nothing.
ALTER TABLE conversations ADD COLUMN choices TEXT NOT NULL DEFAULT '';
