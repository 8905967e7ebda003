// git apply, for unified diffs.
import { spawnSync } from "node:child_process";
import { applied, cannot, refused, serve } from "./lib/adapter.mjs";

const version = spawnSync("git", ["--version"], { encoding: "utf8" }).stdout?.split(" ")[2]?.trim();

serve("git-apply " + version, ({ dir, form, text }) => {
  if (form !== "unified") return cannot;
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dir, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const done = spawnSync("git", ["apply", "-"], { cwd: dir, env, input: text, encoding: "utf8" });
  return done.status === 0 ? applied(done.stderr) : refused(done.stderr);
});
