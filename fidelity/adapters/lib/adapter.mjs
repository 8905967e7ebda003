// What adapters in JavaScript share: the protocol of ../../README.md, and where tools are installed.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
export const agents = join(cache, "redline-agents");
export const tools = join(cache, "redline-fidelity");

const put = (line) => process.stdout.write(JSON.stringify(line) + "\n");
console.log = console.info = console.debug = console.error; // the output is the protocol's

// need ends the adapter if a file is not there.
export function need(name, file, how) {
  if (existsSync(file)) return;
  put({ name, missing: `${name} is not installed: run ${how}` });
  process.exit(0);
}

// version returns the version of a package.
export const version = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;

export const applied = (message) => ({ said: "applied", message });
export const refused = (message) => ({ said: "refused", message });
export const cannot = { said: "cannot", message: "" };

// failed ends the adapter, and with it the run, where the tool could not be asked.
export function failed(message) {
  console.error(message);
  process.exit(1);
}

// serve answers each call by run. What run throws is a refusal.
export async function serve(name, run) {
  put({ name });
  for await (const line of createInterface({ input: process.stdin })) {
    let answer;
    try {
      answer = await run(JSON.parse(line));
    } catch (e) {
      answer = refused(String(e?.message ?? e));
    }
    put(answer);
  }
  process.exit(0);
}
