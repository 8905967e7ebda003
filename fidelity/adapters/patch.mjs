// GNU patch, for unified diffs, without files of its own beside those that it changes. It goes through all
// files, and names each one and the hunks that failed.
import { spawnSync } from "node:child_process";
import { applied, cannot, refused, serve } from "./lib/adapter.mjs";

const version = spawnSync("patch", ["--version"], { encoding: "utf8" }).stdout?.split("\n")[0].split(" ").pop();

serve("patch " + version, ({ dir, form, text }) => {
  if (form !== "unified") return cannot;
  const options = ["-p1", "--batch", "--forward", "--no-backup-if-mismatch", "--reject-file=-"];
  const done = spawnSync("patch", options, { cwd: dir, input: text, encoding: "utf8" });
  const message = done.stdout + done.stderr;
  if (done.status === 0) return applied(message);
  return done.status === 1 ? { said: "partly", message } : refused(message);
});
