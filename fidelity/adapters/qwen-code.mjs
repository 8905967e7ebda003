// Qwen Code's tools edit and write_file, from the parts that its bundle loads when it needs them. The
// CLI refuses an edit of a file that its model has not read; here each file counts as read.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { applied, cannot, need, refused, serve, tools, version } from "./lib/adapter.mjs";

const folder = join(tools, "npm/node_modules/@qwen-code/qwen-code");
need("qwen-code", folder, ".ci/install-fidelity");
const chunks = readdirSync(join(folder, "chunks")).filter((name) => name.endsWith(".js"));
const load = (name) => import(pathToFileURL(join(folder, "chunks", name)));
const { EditTool } = await load(chunks.find((name) => name.startsWith("edit-")));
const { WriteFileTool } = await load(chunks.find((name) => name.startsWith("write-file-")));
const declares = (what) => (name) => readFileSync(join(folder, "chunks", name), "utf8").includes(`\nvar ${what} = `);
const { StandardFileSystemService } = await load(chunks.find(declares("StandardFileSystemService")));

// config answers what the tools ask; everything else is undefined.
function config(dir) {
  const files = new StandardFileSystemService();
  const known = {
    getTargetDir: () => dir,
    getProjectRoot: () => dir,
    getFileSystemService: () => files,
    getFileReadCacheDisabled: () => true,
  };
  return new Proxy(known, { get: (of, name) => of[name] ?? (() => undefined) });
}

serve("qwen-code " + version(folder), async ({ dir, form, path, text, pairs }) => {
  let tool, args;
  if (form === "pairs" && pairs.length === 1) {
    tool = new EditTool(config(dir));
    args = { file_path: join(dir, path), old_string: pairs[0].old, new_string: pairs[0].new, replace_all: !!pairs[0].all };
  } else if (form === "whole") {
    tool = new WriteFileTool(config(dir));
    args = { file_path: join(dir, path), content: text };
  } else return cannot;
  const done = await tool.build(args).execute(new AbortController().signal);
  return done.error ? refused(done.error.message) : applied(String(done.llmContent));
});
