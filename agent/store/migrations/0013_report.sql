-- Whether the model reports what came of the commands of a revision, once they have run.
ALTER TABLE revisions ADD COLUMN report INTEGER NOT NULL DEFAULT 0;
