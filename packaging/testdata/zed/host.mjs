// A host that plays Zed: it loads the extension, built as a WebAssembly component and turned into
// JavaScript by jco, answers what it asks of Zed, and prints what it returns as JSON.
//
//     node host.mjs COMPONENT < SCENE
//
// COMPONENT is the module that jco wrote; SCENE is JSON. The module @bytecodealliance/preview2-shim
// must be in a node_modules folder above COMPONENT.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const component = resolve(process.argv[2]);
const load = (name) => import(pathToFileURL(createRequire(component).resolve(name)).href);
const scene = JSON.parse(readFileSync(0, "utf8"));

const cli = await load("@bytecodealliance/preview2-shim/cli");
const filesystem = await load("@bytecodealliance/preview2-shim/filesystem");
const others = await Promise.all(
  ["clocks", "io", "random"].map((name) => load(`@bytecodealliance/preview2-shim/${name}`)),
);

// As Zed does, the extension sees only its own folder, and PWD names that.
cli._setEnv({ PWD: scene.folder });
filesystem._setPreopens({ ".": scene.folder, [scene.folder]: scene.folder });

const asked = { statuses: [], downloads: [], commands: [] };

class Worktree {
  id() { return 1n; }
  rootPath() { return "/project"; }
  readTextFile() { throw "no such file"; }
  which(name) { return scene.programs?.[name]; }
  shellEnv() { return Object.entries(scene.shell ?? {}); }
}
class Nothing {}

const imports = {
  "download-file": { default(url, path, type) {
    asked.downloads.push({ url, path, type });
    const archive = scene.served?.[url];
    if (!archive) throw "status 404";
    const to = join(scene.folder, path);
    mkdirSync(to, { recursive: true });
    execFileSync("tar", ["-xzf", archive, "-C", to]);
  } },
  "get-settings": { default(_location, category, key) {
    if (category !== "lsp" || key !== "redline-lsp") throw `no settings ${category} ${key}`;
    return JSON.stringify(scene.settings ?? {});
  } },
  "make-file-executable": { default(path) { chmodSync(join(scene.folder, path), 0o755); } },
  "set-language-server-installation-status": { default(server, status) { asked.statuses.push([server, status.tag, status.val]); } },
  "key-value-store": { default: Nothing, KeyValueStore: Nothing },
  "project": { default: Nothing, Project: Nothing },
  "worktree": { default: Worktree, Worktree },
  "zed:extension/github": { latestGithubRelease(name) {
    if (!scene.releases?.[name]) throw `${name} is not served`;
    return scene.releases[name];
  } },
  "zed:extension/platform": { currentPlatform: () => ["linux", "x8664"] },
  "zed:extension/process": { runCommand({ command, args }) {
    asked.commands.push([command, ...args]);
    const done = spawnSync(command, args);
    if (done.error) throw String(done.error);
    return { status: done.status ?? undefined, stdout: new Uint8Array(done.stdout), stderr: new Uint8Array(done.stderr) };
  } },
};
for (const [module, prefix] of [[cli, "cli"], [filesystem, "filesystem"], ...others.map((m, i) => [m, ["clocks", "io", "random"][i]])]) {
  for (const [name, value] of Object.entries(module)) {
    const dashed = name.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
    imports[`wasi:${prefix}/${dashed}`] = value;
  }
}

const { instantiate } = await import(pathToFileURL(component).href);
const extension = await instantiate(
  async (name) => WebAssembly.compile(readFileSync(join(dirname(component), name))), imports);
extension.initExtension();
const worktree = new Worktree();
const result = (call) => {
  try {
    return { value: call() };
  } catch (e) {
    if (e.payload === undefined) throw e;
    return { error: e.payload };
  }
};
console.log(JSON.stringify({
  command: result(() => extension.languageServerCommand("redline-lsp", worktree)),
  options: result(() => extension.languageServerInitializationOptions("redline-lsp", worktree)),
  configuration: result(() => extension.languageServerWorkspaceConfiguration("redline-lsp", worktree)),
  ...asked,
}));
