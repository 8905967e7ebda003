import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Readable } from 'node:stream';
import { type Browser, chromium } from 'playwright-core';
import { until } from './until';

/** The folder of the extension. */
export const root = path.resolve(import.meta.dirname, '../..');

/** Finds the programs that the tests need, or says which is missing. */
export function tools(): { codeServer: string; chromium: string } | { problem: string } {
	const cache = process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache');
	const codeServer = process.env['REDLINE_CODE_SERVER'] ?? path.join(cache, 'redline-vscode', 'bin', 'code-server');
	const browser = process.env['REDLINE_CHROMIUM'] ?? '/usr/bin/chromium';
	const missing = [codeServer, browser].filter((file) => !fs.existsSync(file));
	return missing.length > 0 ? { problem: `${missing.join(' and ')} is not here: run .ci/install-vscode` } : { codeServer, chromium: browser };
}

/** User settings that turn off what the tests are not about. */
const calm: Record<string, unknown> = {
	'workbench.startupEditor': 'none', 'workbench.tips.enabled': false, 'workbench.colorTheme': process.env['REDLINE_THEME'] ?? 'Default Dark Modern',
	'telemetry.telemetryLevel': 'off', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false, 'git.enabled': false,
	'files.autoSave': 'off', 'window.confirmBeforeClose': 'never', 'workbench.editor.enablePreview': true, 'editor.minimap.enabled': false,
	'window.commandCenter': false, 'chat.commandCenter.enabled': false, 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never',
};

/** A separate machine: a VS Code workbench with the extension, a browser to drive it, and an empty home. */
export class World {
	private constructor(
		readonly dir: string,
		readonly browser: Browser,
		readonly url: string,
		private readonly workbench: ChildProcess,
		private readonly environment: NodeJS.ProcessEnv,
	) {}

	/**
	 * Starts one. A package is installed as users install it, with the program in it, and neither it nor Go on PATH. With go, the program
	 * is in ~/go/bin, and on no PATH.
	 */
	static async start(options: { trust?: boolean; package?: string; go?: boolean } = {}): Promise<World> {
		const found = tools();
		if ('problem' in found) {
			throw new Error(found.problem);
		}
		const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'redline-vscode-')));
		const home = path.join(dir, 'home'), bin = options.go ? path.join(dir, 'home', 'go', 'bin') : path.join(dir, 'bin'), user = path.join(dir, 'user'), extensions = path.join(dir, 'extensions');
		for (const made of [home, bin, path.join(user, 'User'), path.join(user, 'Machine'), extensions, path.join(dir, 'work')]) {
			fs.mkdirSync(made, { recursive: true });
		}
		program(bin, dir);
		// The workbench takes PATH from a login shell.
		const PATH = options.package || options.go ? withoutProgram() : `${bin}:${process.env['PATH'] ?? ''}`;
		fs.writeFileSync(path.join(home, '.profile'), `PATH='${PATH}'\n`);
		const environment: NodeJS.ProcessEnv = { PATH, HOME: home, LANG: 'C.UTF-8', SHELL: '/bin/sh' };
		for (const name of ['CONFIG', 'DATA', 'STATE', 'CACHE']) {
			environment[`XDG_${name}_HOME`] = path.join(home, name.toLowerCase());
		}
		const folders = ['--user-data-dir', user, '--extensions-dir', extensions];
		if (options.package) {
			execFileSync(found.codeServer, [...folders, '--install-extension', options.package], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
		} else {
			install(extensions);
			probe(extensions);
		}
		fs.writeFileSync(path.join(user, 'User', 'settings.json'), JSON.stringify(calm));
		const port = await freePort();
		const log = fs.openSync(path.join(dir, 'code-server.log'), 'a');
		const workbench = spawn(found.codeServer, [
			'--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override',
			...(options.trust === false ? [] : ['--disable-workspace-trust']), ...folders,
		], { env: environment, stdio: ['ignore', log, log], detached: true });
		process.once('exit', () => end(workbench));
		process.once('SIGTERM', () => process.exit(1));
		const url = `http://127.0.0.1:${port}/`;
		try {
			await until('the workbench answers', async () => (await fetch(url + 'healthz').catch(() => undefined))?.ok);
			const browser = await chromium.launch({
				executablePath: found.chromium,
				args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
			});
			return new World(dir, browser, url, workbench, environment);
		} catch (error) {
			end(workbench);
			throw error;
		}
	}

	/**
	 * Makes a workspace with files. Its server uses the model at a URL; with a relay, the messages of its server are logged
	 * with their texts.
	 */
	workspace(name: string, files: Record<string, string>, more: { model?: string; relay?: boolean; texts?: boolean } = {}): string {
		const dir = path.join(this.dir, 'work', name);
		fs.mkdirSync(path.join(dir, '.git'), { recursive: true });
		for (const [file, text] of Object.entries(files)) {
			fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
			fs.writeFileSync(path.join(dir, file), text);
		}
		if (more.model) {
			fs.writeFileSync(this.note(dir, 'model'), more.model);
		}
		if (more.texts) {
			fs.writeFileSync(this.note(dir, 'texts'), '');
		}
		if (more.relay || more.texts || process.env['REDLINE_LATE']) {
			fs.writeFileSync(this.note(dir, 'messages'), '');
		}
		return dir;
	}

	/** The path of redline on PATH. */
	get program(): string {
		return path.join(this.dir, 'bin', 'redline');
	}

	/** The program behind it. */
	get server(): string {
		return process.env['REDLINE_PROGRAM'] ?? path.join(this.dir, 'bin', 'redline-server');
	}

	/** Replaces the settings of this machine. */
	settings(settings: Record<string, unknown>): void {
		const folder = path.join(this.dir, 'user', 'Machine');
		fs.mkdirSync(folder, { recursive: true });
		fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings));
	}

	/** Replaces the settings of Redline's own file, "" for none. Servers that start afterwards have them. */
	configure(toml: string): void {
		const file = path.join(this.dir, 'home', 'config', 'redline', 'config.toml');
		fs.mkdirSync(path.dirname(file), { recursive: true });
		fs.writeFileSync(file, toml);
	}

	/** Returns the methods of the messages to (>) and from (<) the server of a workspace with a relay. */
	messages(workspace: string): string[] {
		return fs.readFileSync(this.note(workspace, 'messages'), 'utf8').trimEnd().split('\n');
	}

	/** Makes the server of a workspace start only when the function that it returns is called. */
	holdServer(workspace: string): () => void {
		fs.writeFileSync(this.note(workspace, 'held'), '');
		return () => fs.rmSync(this.note(workspace, 'held'), { force: true });
	}

	/** Makes the relay kill the server of a workspace after the editor has made its edit, before the server gets the answer. */
	killAtEdit(workspace: string): void {
		fs.writeFileSync(this.note(workspace, 'kill'), '');
	}

	/** Returns a file about a workspace's server. */
	private note(workspace: string, kind: string): string {
		return path.join(this.dir, `${path.basename(workspace)}.${kind}`);
	}

	/** Keeps what the workbench and the servers have written. */
	keepLogs(kept: string): void {
		for (const name of fs.readdirSync(this.dir).filter((file) => /\.(log|messages|texts)$/.test(file))) {
			fs.copyFileSync(path.join(this.dir, name), path.join(kept, name));
		}
		const logs = path.join(this.dir, 'user', 'logs');
		if (fs.existsSync(logs)) {
			fs.cpSync(logs, path.join(kept, 'logs'), { recursive: true });
		}
	}

	/** Runs the program on the command line, in a workspace. */
	run(workspace: string, ...words: string[]): void {
		spawnSync(this.program, words, { cwd: workspace, env: this.environment });
	}

	/** Starts the program on the command line, in a workspace. What it writes can be read. */
	begin(workspace: string, ...words: string[]): ChildProcessByStdio<null, Readable, Readable> {
		return spawn(this.program, words, { cwd: workspace, env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
	}

	/** Reports whether trials would work in a workspace, once the user allows them. */
	tries(workspace: string): boolean {
		const { stdout } = spawnSync(this.program, ['trials', 'status'], { cwd: workspace, env: this.environment, encoding: 'utf8' });
		return stdout.includes('trials allow');
	}

	/** Returns the process of the server of a workspace. */
	serverOf(workspace: string): number {
		return Number(fs.readFileSync(this.note(workspace, 'pid'), 'utf8'));
	}

	async stop(): Promise<void> {
		await this.browser.close();
		end(this.workbench);
		await until('the workbench has ended', () => this.workbench.exitCode !== null || this.workbench.signalCode !== null);
		fs.rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** Kills a process and all its children. */
function end(started: ChildProcess): void {
	try {
		process.kill(-(started.pid ?? NaN), 'SIGKILL');
	} catch {
		// it has ended
	}
}

/** Installs the built extension where the workbench finds it. */
function install(extensions: string): void {
	const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { publisher: string; name: string; version: string };
	const installed = path.join(extensions, `${manifest.publisher}.${manifest.name}-${manifest.version}`);
	for (const part of ['package.json', 'README.md', 'dist', 'media', 'walkthrough']) {
		fs.cpSync(path.join(root, part), path.join(installed, part), { recursive: true });
	}
}

/** The file that activates the extension of probe, which writes beside it what became of a call of proposed API. */
export const probed = 'proposals.probe';

/** Installs an extension that calls proposed API, in a workspace with the file of that name. */
function probe(extensions: string): void {
	const folder = path.join(extensions, 'redline-tests.probe-0.0.1');
	fs.mkdirSync(folder);
	fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({
		publisher: 'redline-tests', name: 'probe', version: '0.0.1', engines: { vscode: '^1.91.0' }, main: './probe.js', activationEvents: [`workspaceContains:${probed}`],
	}));
	fs.writeFileSync(path.join(folder, 'probe.js'), `const vscode = require('vscode'), fs = require('fs');
exports.activate = () => {
	const file = vscode.workspace.workspaceFolders[0].uri.fsPath + '/${probed}';
	try {
		vscode.window.createWebviewTextEditorInset(undefined, 0, 1);
		fs.writeFileSync(file, 'granted');
	} catch (error) {
		fs.writeFileSync(file, String(error));
	}
};
`);
}

/** Returns the folders of PATH without the program redline and without Go. */
const withoutProgram = (): string => (process.env['PATH'] ?? '').split(':').filter((dir) => !['redline', 'go'].some((name) => fs.existsSync(path.join(dir, name)))).join(':');

/**
 * Installs the program `redline` into a folder: built from the sources, or the one in REDLINE_PROGRAM. The redline on PATH
 * is a script that notes the process and sets the model of the server.
 */
function program(bin: string, dir: string): void {
	let real = process.env['REDLINE_PROGRAM'];
	if (!real) {
		real = path.join(bin, 'redline-server');
		execFileSync('go', ['build', '-o', real, './cmd/redline'], { cwd: path.resolve(root, '../..'), stdio: 'inherit' });
	}
	fs.writeFileSync(path.join(bin, 'redline'), `#!/bin/sh
name=$(basename "$PWD")
echo $$ >'${dir}'/"$name.pid"
if [ -f '${dir}'/"$name.model" ]; then
	OPENAI_BASE_URL=$(cat '${dir}'/"$name.model") OPENAI_API_KEY=for-tests REDLINE_MODEL=scripted
	export OPENAI_BASE_URL OPENAI_API_KEY REDLINE_MODEL
fi
while [ "$1" = serve ] && [ -f '${dir}'/"$name.held" ]; do
	sleep 0.1
done
if [ "$1" = serve ] && [ -f '${dir}'/"$name.messages" ]; then
	REDLINE_LATE='${process.env['REDLINE_LATE'] ?? ''}' exec node '${path.join(root, 'e2e', 'relay.mjs')}' '${dir}'/"$name" '${real}' "$@"
fi
exec '${real}' "$@"
`, { mode: 0o755 });
}

function freePort(): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.on('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
		});
	});
}
