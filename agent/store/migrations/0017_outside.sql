-- What outside agents may reach in a folder, as the user has allowed it. reach is their program, network and
-- state as JSON: a change of any is another row. What is taken back is so for each reach of the agent.
CREATE TABLE outside_reach (
  folder  TEXT NOT NULL, -- absolute, without symbolic links
  agent   TEXT NOT NULL, -- its name
  reach   TEXT NOT NULL,
  owner   INTEGER NOT NULL, -- of the folder, when it was allowed
  since   INTEGER NOT NULL,
  PRIMARY KEY (folder, agent, reach)
) STRICT;
