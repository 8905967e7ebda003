// pi's tools edit and write.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { agents, applied, cannot, need, serve, version } from "./lib/adapter.mjs";

const folder = join(agents, "pi/node_modules/@mariozechner/pi-coding-agent");
need("pi", folder, ".ci/install-agents");
const { createEditTool, createWriteTool } = await import(pathToFileURL(join(folder, "dist/index.js")));

serve("pi " + version(folder), async ({ dir, form, path, text, pairs }) => {
  let done;
  if (form === "pairs" && !pairs.some((p) => p.all)) {
    done = await createEditTool(dir).execute("1", { path, edits: pairs.map((p) => ({ oldText: p.old, newText: p.new })) });
  } else if (form === "whole") {
    done = await createWriteTool(dir).execute("1", { path, content: text });
  } else return cannot;
  return applied(JSON.stringify(done.content));
});
