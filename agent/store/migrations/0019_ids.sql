-- A plan's id, which is its own everywhere: its number is of a workspace. Plans of before get one now.
ALTER TABLE plans ADD COLUMN uid TEXT NOT NULL DEFAULT ''; -- 32 hexadecimal digits
UPDATE plans SET uid = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX plans_uid ON plans (workspace, uid);
