// opencode's tools edit, write and apply_patch. Its server has them only for a model, so the adapter is
// one: an endpoint on loopback that asks for the call. opencode offers apply_patch to models named gpt-5,
// and the other two to all others. The server has a home of its own, no key and no account; its
// formatters and language servers are off.
import { spawn } from "node:child_process";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { agents, applied, cannot, failed, need, refused, serve, version } from "./lib/adapter.mjs";

const folder = join(agents, "opencode/node_modules/opencode-ai");
need("opencode", folder, ".ci/install-agents");

let step; // the call that is still to be asked for

const model = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { tools } = JSON.parse(body || "{}");
  const call = tools?.some((tool) => tool.function.name === step?.name) ? step : undefined;
  if (call) step = undefined;
  const delta = call
    ? { role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } }] }
    : { role: "assistant", content: "done" };
  const chunk = (more) => `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...more })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: call ? "tool_calls" : "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) +
      "data: [DONE]\n\n",
  );
});
await new Promise((done) => model.listen(0, "127.0.0.1", done));

const scripted = {
  npm: "@ai-sdk/openai-compatible",
  name: "scripted",
  options: { baseURL: `http://127.0.0.1:${model.address().port}/v1`, apiKey: "none" },
  models: { m: { name: "m" }, "gpt-5": { name: "gpt-5" } },
};
const home = mkdtempSync(join(tmpdir(), "opencode"));
const env = {
  ...process.env, HOME: home, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_CONFIG_CONTENT: JSON.stringify({
    model: "scripted/m", small_model: "scripted/m", agent: { title: { disable: true } }, permission: "allow", autoupdate: false, share: "disabled",
    lsp: false, formatter: false, snapshot: false, provider: { scripted },
  }),
};
for (const name of ["CONFIG", "DATA", "CACHE", "STATE"]) env[`XDG_${name}_HOME`] = join(home, name);
const program = spawn(join(agents, "bin/opencode"), ["serve", "--hostname", "127.0.0.1", "--port", "0"], { cwd: home, env, stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => {
  program.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true, maxRetries: 20 });
});
let base;
for await (const line of createInterface({ input: program.stdout })) {
  if ((base = line.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0])) break;
}
if (!base) failed("opencode has not begun to listen");

// Each call's files are in the same folder while it runs: the server takes seconds to begin with a new one.
const work = join(home, "work");

async function ask(method, path, body) {
  const response = await fetch(`${base}${path}?directory=${encodeURIComponent(work)}`, {
    method, headers: { "content-type": "application/json" }, body: body && JSON.stringify(body),
  });
  if (!response.ok) failed(`opencode: ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

serve("opencode " + version(folder), async ({ dir, form, path, text, pairs }) => {
  let modelID = "m";
  if (form === "pairs" && pairs.length === 1) {
    step = { name: "edit", args: { filePath: join(work, path), oldString: pairs[0].old, newString: pairs[0].new, replaceAll: !!pairs[0].all } };
  } else if (form === "whole") {
    step = { name: "write", args: { filePath: join(work, path), content: text } };
  } else if (form === "begin-patch") {
    step = { name: "apply_patch", args: { patchText: text } };
    modelID = "gpt-5";
  } else return cannot;
  renameSync(dir, work);
  try {
    const session = await ask("POST", "/session", {});
    const message = { model: { providerID: "scripted", modelID }, agent: "build", parts: [{ type: "text", text: "Make the change." }] };
    await ask("POST", `/session/${session.id}/message`, message);
    const all = await ask("GET", `/session/${session.id}/message`);
    const tool = all.flatMap(({ parts }) => parts).find((part) => part.type === "tool");
    if (!tool) failed("opencode has not run its tool");
    return tool.state.status === "completed" ? applied(tool.state.output) : refused(tool.state.error);
  } finally {
    renameSync(work, dir);
  }
});
