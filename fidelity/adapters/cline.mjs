// Cline's tools editor and apply_patch, from the package of its core, on which its CLI is built. The blocks
// that its older versions read are not in it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { applied, cannot, need, refused, serve, tools, version } from "./lib/adapter.mjs";

const folder = join(tools, "npm/node_modules/@cline/core");
need("cline", folder, ".ci/install-fidelity");
const { createDefaultExecutors, createDefaultTools } = await import(pathToFileURL(join(folder, "dist/index.js")));

serve("cline-core " + version(folder), async ({ dir, form, path, text, pairs, after }) => {
  let name, args;
  if (form === "editor" && after !== undefined) {
    // It inserts before a line, counted from 1.
    [name, args] = ["editor", { path: join(dir, path), new_text: text, insert_line: after + 1 }];
  } else if (form === "editor") {
    [name, args] = ["editor", { path: join(dir, path), old_text: pairs[0].old, new_text: pairs[0].new }];
  } else if (form === "whole" && existsSync(join(dir, path))) {
    return cannot; // it writes a whole text only to a new file
  } else if (form === "whole") {
    [name, args] = ["editor", { path: join(dir, path), new_text: text }];
  } else if (form === "begin-patch") {
    [name, args] = ["apply_patch", { input: text }];
  } else return cannot;
  const all = createDefaultTools({ cwd: dir, executors: createDefaultExecutors(), enableEditor: name === "editor", enableApplyPatch: name !== "editor" });
  const tool = all.find((t) => t.name === name);
  const done = await tool.execute(args, { agentId: "a", conversationId: "c", iteration: 1, signal: new AbortController().signal });
  return done.success ? applied(done.result) : refused(done.error);
});
