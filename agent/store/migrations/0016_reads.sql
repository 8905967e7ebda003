-- What the turn of an exchange has read of files: places and hashes, no texts.
ALTER TABLE exchanges ADD COLUMN reads TEXT NOT NULL DEFAULT ''; -- JSON, '' for nothing
