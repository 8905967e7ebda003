-- What the turn that made a revision has left undone: which limit ended it, and what of
-- its patches was refused.
ALTER TABLE revisions ADD COLUMN unfinished TEXT NOT NULL DEFAULT '{}'; -- JSON
