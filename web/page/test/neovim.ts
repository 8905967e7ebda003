// A real Neovim with the plugin and without a screen, which is driven by keys through a socket.
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const nvim = process.env.REDLINE_NVIM_NEW ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'redline-editors/bin/nvim');

function installed(): boolean {
	try {
		accessSync(nvim, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** Why a test with Neovim is skipped. */
export const noNeovim = installed() ? false : 'there is no Neovim with the plugin: run .ci/install-editors, or name one with REDLINE_NVIM_NEW';

export class Neovim {
	private readonly home = mkdtempSync(join(tmpdir(), 'rl')); // short, because the length of a socket's path is limited
	private readonly socket = join(this.home, 'socket');
	private readonly child: ChildProcess;
	private readonly gone: Promise<unknown>;

	/** Starts Neovim on a file of a folder. Its plugin runs a program. */
	constructor(folder: string, file: string, program: string, env: NodeJS.ProcessEnv) {
		const plugin = resolve('../../editors/nvim');
		const settings = `let g:mapleader = ' ' | let g:redline = {'cmd': ['${program}', 'serve']} | set runtimepath^=${plugin} | set noswapfile`;
		this.child = spawn(nvim, ['--headless', '--listen', this.socket, '--cmd', settings, file], {
			cwd: folder, env: { ...env, XDG_DATA_HOME: this.home, XDG_STATE_HOME: this.home, XDG_CACHE_HOME: this.home }, stdio: 'ignore',
		});
		this.gone = new Promise((done) => this.child.once('exit', done));
	}

	private remote(...words: string[]): Promise<string> {
		return new Promise((done, failed) => execFile(nvim, ['--headless', '--server', this.socket, ...words], (error, stdout, stderr) =>
			error ? failed(new Error(stderr || error.message)) : done((stdout || stderr).trimEnd())));
	}

	/** Returns the value of an expression of Lua as text. */
	lua(expression: string): Promise<string> { return this.remote('--remote-expr', `luaeval('tostring(${expression.replaceAll("'", "''")})')`); }

	/** Types keys, as Neovim spells them. */
	async keys(keys: string): Promise<void> { await this.remote('--remote-send', keys); }

	/** The text of the buffer. */
	text(): Promise<string> { return this.remote('--remote-expr', "join(getline(1, '$'), '|')"); }

	/** Sends a signal to the server. */
	signal(name: NodeJS.Signals): void {
		const { pid } = this.child;
		const servers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
		assert.equal(servers.length, 1);
		process.kill(Number(servers[0]), name);
	}

	/** Waits until something is so. */
	async until(what: string, so: () => Promise<boolean>): Promise<void> {
		for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((later) => setTimeout(later, 50))) {
			if (await so().catch(() => false)) {
				return;
			}
		}
		throw new Error(`Neovim never showed that ${what}; its text is ${await this.text().catch(String)}`);
	}

	async quit(): Promise<void> {
		this.child.kill();
		await this.gone;
		rmSync(this.home, { recursive: true, force: true });
	}
}
