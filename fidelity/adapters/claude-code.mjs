// Claude Code's tools Edit and Write. Its program has them only for a model, so the adapter is one: an
// endpoint on loopback that asks for the call, after the tool Read for a file that is there. The program
// has a home of its own, no key and no account.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { agents, applied, cannot, failed, need, refused, serve, version } from "./lib/adapter.mjs";

const folder = join(agents, "claude/node_modules/@anthropic-ai/claude-code");
need("claude-code", join(agents, "bin/claude"), ".ci/install-agents");
const home = mkdtempSync(join(tmpdir(), "claude-code"));

let steps = []; // calls that are still to be asked for
const results = new Map(); // what the tools have answered, by the id of the call

// reply returns the next message of the scripted model.
function reply(ask) {
  for (const part of ask.messages.flatMap(({ content }) => content)) {
    if (part.type === "tool_result") results.set(part.tool_use_id, part);
  }
  const step = ask.tools?.some((tool) => tool.name === "Edit") && steps.shift();
  const content = step ? { type: "tool_use", ...step } : { type: "text", text: "done" };
  return { id: "msg", type: "message", role: "assistant", model: ask.model, content: [content], stop_reason: step ? "tool_use" : "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
}

// events returns a message as a stream has it.
function events({ content: [part], stop_reason, ...message }) {
  const delta = part.type === "text" ? { type: "text_delta", text: part.text } : { type: "input_json_delta", partial_json: JSON.stringify(part.input) };
  const all = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: part.type === "text" ? { type: "text", text: "" } : { ...part, input: {} } },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return all.map((e) => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`).join("");
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (!request.url.startsWith("/v1/messages")) {
    response.writeHead(404).end();
    return;
  }
  const ask = JSON.parse(body);
  if (request.url.includes("count_tokens")) {
    response.writeHead(200, { "content-type": "application/json" }).end('{"input_tokens": 1}');
  } else if (ask.stream) {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(events(reply(ask)));
  } else {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply(ask)));
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

// A program takes many calls, and then another takes over, since its conversation grows.
const most = 40;
let program, lines, taken;
let calls = 0;

function begin() {
  const env = {
    ...process.env, HOME: home, CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    ANTHROPIC_API_KEY: "none", IS_SANDBOX: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1",
  };
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", "--tools", "Read,Edit,Write"];
  program = spawn(join(agents, "bin/claude"), args, { cwd: home, env, stdio: ["pipe", "pipe", "inherit"] });
  lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  taken = 0;
}

process.on("exit", () => {
  program?.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true, maxRetries: 20 });
});

serve("claude-code " + version(folder), async ({ dir, form, path, text, pairs }) => {
  const file_path = join(dir, path ?? "");
  let call;
  if (form === "pairs" && pairs.length === 1) {
    call = { name: "Edit", input: { file_path, old_string: pairs[0].old, new_string: pairs[0].new, replace_all: !!pairs[0].all } };
  } else if (form === "whole") {
    call = { name: "Write", input: { file_path, content: text } };
  } else return cannot;
  if (!program || taken === most) {
    program?.stdin.end();
    begin();
  }
  taken++;
  const id = `toolu_${++calls}`;
  steps = [{ id, ...call }];
  if (existsSync(file_path)) steps.unshift({ id: id + "_read", name: "Read", input: { file_path } });
  program.stdin.write(JSON.stringify({ type: "user", message: { role: "user", content: "Make the next change." } }) + "\n");
  for (;;) {
    const { value, done } = await lines.next();
    if (done) failed("Claude Code has ended");
    if (JSON.parse(value).type === "result") break;
  }
  if (!results.has(id)) failed("Claude Code has not run its tool");
  const { is_error, content } = results.get(id);
  const message = typeof content === "string" ? content : JSON.stringify(content);
  return is_error ? refused(message) : applied(message);
});
