-- The user may also have said that no commands are to be tried in a folder: then nobody asks again.
ALTER TABLE trial_folders ADD COLUMN allowed INTEGER NOT NULL DEFAULT 1; -- 0: forbidden
