// Gemini CLI's tools replace and write_file, from the package of its core. The CLI can ask a model to
// repair an edit that is in no place; here it cannot.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { applied, cannot, need, refused, serve, tools, version } from "./lib/adapter.mjs";

const folder = join(tools, "npm/node_modules/@google/gemini-cli-core");
need("gemini-cli", folder, ".ci/install-fidelity");
const load = (name) => import(pathToFileURL(join(folder, "dist/src", name)));
const { EditTool } = await load("tools/edit.js");
const { WriteFileTool } = await load("tools/write-file.js");
const { StandardFileSystemService } = await load("services/fileSystemService.js");
const { WorkspaceContext } = await load("utils/workspaceContext.js");
const { ApprovalMode } = await load("policy/types.js");

// config answers what the tools ask; everything else is undefined.
function config(dir) {
  const files = new StandardFileSystemService();
  const folders = new WorkspaceContext(dir);
  const known = {
    getTargetDir: () => dir,
    getProjectRoot: () => dir,
    getWorkspaceContext: () => folders,
    getFileSystemService: () => files,
    getApprovalMode: () => ApprovalMode.YOLO,
    getDisableLLMCorrection: () => true,
    validatePathAccess: (path) => (folders.isPathWithinWorkspace(path) ? null : `${path} is outside of the workspace`),
    storage: { getProjectTempDir: () => join(dir, ".gemini"), getPlansDir: () => join(dir, ".gemini") },
  };
  return new Proxy(known, { get: (of, name) => of[name] ?? (() => undefined) });
}
const bus = { publish() {}, subscribe() {}, unsubscribe() {}, on() {}, off() {} };

serve("gemini-cli " + version(folder), async ({ dir, form, path, text, pairs }) => {
  let tool, args;
  if (form === "pairs" && pairs.length === 1) {
    tool = new EditTool(config(dir), bus);
    args = { file_path: path, old_string: pairs[0].old, new_string: pairs[0].new, allow_multiple: pairs[0].all, instruction: "change it" };
  } else if (form === "whole") {
    tool = new WriteFileTool(config(dir), bus);
    args = { file_path: path, content: text };
  } else return cannot;
  const done = await tool.build(args).execute({ abortSignal: new AbortController().signal });
  return done.error ? refused(done.error.message) : applied(String(done.llmContent));
});
