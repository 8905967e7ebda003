-- What the turn cost that made a revision, in the currency of the user's prices;
-- 0 when it is not known.
ALTER TABLE revisions ADD COLUMN cost REAL NOT NULL DEFAULT 0;
