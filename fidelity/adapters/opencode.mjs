// opencode's tools edit, write and apply_patch, as its command `debug agent` runs them. A call takes
// seconds, since it starts the whole program.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agents, applied, cannot, need, refused, serve, version } from "./lib/adapter.mjs";

const folder = join(agents, "opencode/node_modules/opencode-ai");
need("opencode", folder, ".ci/install-agents");
const home = mkdtempSync(join(tmpdir(), "opencode"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const env = { ...process.env, HOME: home, OPENCODE_DISABLE_AUTOUPDATE: "1" };
for (const name of ["CONFIG", "DATA", "CACHE", "STATE"]) env[`XDG_${name}_HOME`] = join(home, name);

serve("opencode " + version(folder), ({ dir, form, path, text, pairs }) => {
  let tool, args;
  if (form === "pairs" && pairs.length === 1) {
    tool = "edit";
    args = { filePath: join(dir, path), oldString: pairs[0].old, newString: pairs[0].new, replaceAll: !!pairs[0].all };
  } else if (form === "whole") {
    tool = "write";
    args = { filePath: join(dir, path), content: text };
  } else if (form === "begin-patch") {
    tool = "apply_patch";
    args = { patchText: text };
  } else return cannot;
  const command = ["debug", "agent", "build", "--tool", tool, "--params", JSON.stringify(args)];
  const done = spawnSync(join(agents, "bin/opencode"), command, { cwd: dir, env, encoding: "utf8", timeout: 120000 });
  const message = done.stdout + done.stderr;
  return done.status === 0 ? applied(message) : refused(message);
});
