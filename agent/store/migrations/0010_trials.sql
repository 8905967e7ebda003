-- The trials of a plan: what its commands came to on the texts that it would leave.
ALTER TABLE plans ADD COLUMN trials TEXT NOT NULL DEFAULT '{}'; -- JSON

-- The folders whose commands may be tried: the user has said so once for each.
CREATE TABLE trial_folders (
    folder TEXT    NOT NULL, -- absolute, without symbolic links
    owner  INTEGER NOT NULL, -- the user id of its owner at that time, -1 where there are none
    since  INTEGER NOT NULL, -- Unix time in nanoseconds
    PRIMARY KEY (folder)
) STRICT;
