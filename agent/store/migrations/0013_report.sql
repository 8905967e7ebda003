-- Whether the model reports the results of the commands once they have run.
ALTER TABLE revisions ADD COLUMN report INTEGER NOT NULL DEFAULT 0;
