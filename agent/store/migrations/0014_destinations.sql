-- Where texts of a workspace go, by a choice of the environment alone: the user is told once for each.
CREATE TABLE destinations (
    workspace   TEXT    NOT NULL, -- as in plans
    destination TEXT    NOT NULL, -- the base URL, without user, password and query
    told        INTEGER NOT NULL, -- Unix time in nanoseconds
    PRIMARY KEY (workspace, destination)
) STRICT;
