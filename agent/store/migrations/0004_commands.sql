-- Which commands an approval allows to be run, and which one an execution runs:
-- lists of operation ids.

ALTER TABLE decisions  ADD COLUMN commands TEXT NOT NULL DEFAULT 'null';
ALTER TABLE executions ADD COLUMN commands TEXT NOT NULL DEFAULT 'null';
