// Codex applies patches with its own program, under another name. The agent reads a patch once
// before that, and does not run the program if a part of it fails; the program alone has written the
// files before that part.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { agents, applied, cannot, need, refused, serve, version } from "./lib/adapter.mjs";

const modules = join(agents, "codex/node_modules/@openai");
need("codex", join(modules, "codex"), ".ci/install-agents");
const found = readdirSync(modules)
  .filter((name) => name.startsWith("codex-"))
  .flatMap((name) => readdirSync(join(modules, name, "vendor")).map((target) => join(modules, name, "vendor", target, "bin/codex")));

serve("codex " + version(join(modules, "codex")), ({ dir, form, text }) => {
  if (form !== "begin-patch") return cannot;
  const done = spawnSync(found[0], ["--codex-run-as-apply-patch", text], { cwd: dir, encoding: "utf8" });
  const message = done.stdout + done.stderr;
  return done.status === 0 ? applied(message) : refused(message);
});
