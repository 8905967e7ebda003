// A client of the Agent Client Protocol by its official SDK for TypeScript. It starts the program that
// its arguments name, does what each line of its input asks, and writes what happened as a line of JSON.
import { spawn } from "node:child_process";
import { promises as fs } from "node:fs";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, folder, program, ...args] = process.argv.slice(2);
const acp = await import(pathToFileURL(createRequire(modules + "/").resolve("@agentclientprotocol/sdk")).href);

const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], cwd: folder });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));

let step; // what is being done: its answers, and what was seen

const app = acp
  .client({ name: "typescript" })
  .onRequest(acp.methods.client.session.requestPermission, async ({ params, client }) => {
    step.asked.push({ call: params.toolCall, options: params.options.map((o) => o.optionId) });
    const answer = step.answers.shift();
    if (answer === undefined || answer === "cancel") {
      if (answer === "cancel") await step.cancel();
      return { outcome: { outcome: "cancelled" } };
    }
    return { outcome: { outcome: "selected", optionId: answer } };
  })
  .onRequest(acp.methods.client.fs.readTextFile, async ({ params }) => ({ content: await fs.readFile(params.path, "utf8") }))
  .onRequest(acp.methods.client.fs.writeTextFile, async ({ params }) => {
    step.written.push(params.path);
    await fs.writeFile(params.path, params.content);
    return {};
  })
  .onNotification(acp.methods.client.session.update, ({ params }) => {
    const update = params.update;
    if (!step) return;
    step.updates.push(update.sessionUpdate);
    if (update.sessionUpdate === "agent_message_chunk") step.text += update.content.text ?? "";
  });

const fresh = (answers) => ({ answers, asked: [], written: [], updates: [], text: "" });
const tell = (x) => process.stdout.write(JSON.stringify(x) + "\n");

await app.connectWith(stream, async (client) => {
  const ready = await client.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "typescript", version: "1" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
  });
  const { sessionId } = await client.request(acp.methods.agent.session.new, { cwd: folder, mcpServers: [] });
  tell({ version: ready.protocolVersion, session: sessionId });
  for await (const line of createInterface({ input: process.stdin })) {
    const asked = JSON.parse(line);
    step = fresh(asked.answers ?? []);
    step.cancel = () => client.notify(acp.methods.agent.session.cancel, { sessionId });
    const { stopReason } = await client.request(acp.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: asked.prompt }],
    });
    tell({ stop: stopReason, ...step });
  }
});
agent.kill();
