-- A workspace has one name, without symbolic links, however it was opened. What was kept under a name
-- that leads through a link moves to the folder itself, unless the folder, or another such name, has
-- plans of its own: numbers of plans are part of what was approved, so two lists cannot become one.
CREATE TABLE moved (
    was       TEXT PRIMARY KEY, -- the name until now; the audit log keeps it
    workspace TEXT NOT NULL     -- the folder without links
) STRICT;

CREATE TEMP TABLE named AS
    SELECT workspace FROM plans UNION SELECT workspace FROM traces UNION SELECT workspace FROM questions
    UNION SELECT workspace FROM conversations UNION SELECT workspace FROM reuse UNION SELECT workspace FROM destinations;

INSERT INTO moved SELECT workspace, real_folder(workspace) FROM named WHERE real_folder(workspace) <> workspace;
DELETE FROM moved WHERE workspace IN (SELECT workspace FROM named)
    OR workspace IN (SELECT workspace FROM moved GROUP BY workspace HAVING COUNT(*) > 1);

UPDATE plans         SET workspace = (SELECT m.workspace FROM moved m WHERE m.was = plans.workspace)         WHERE workspace IN (SELECT was FROM moved);
UPDATE traces        SET workspace = (SELECT m.workspace FROM moved m WHERE m.was = traces.workspace)        WHERE workspace IN (SELECT was FROM moved);
UPDATE questions     SET workspace = (SELECT m.workspace FROM moved m WHERE m.was = questions.workspace)     WHERE workspace IN (SELECT was FROM moved);
UPDATE conversations SET workspace = (SELECT m.workspace FROM moved m WHERE m.was = conversations.workspace) WHERE workspace IN (SELECT was FROM moved);
UPDATE reuse         SET workspace = (SELECT m.workspace FROM moved m WHERE m.was = reuse.workspace)         WHERE workspace IN (SELECT was FROM moved);
UPDATE destinations  SET workspace = (SELECT m.workspace FROM moved m WHERE m.was = destinations.workspace)  WHERE workspace IN (SELECT was FROM moved);

DROP TABLE named;
