// A real `redline` in a folder of its own, with the built-in model.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Neovim } from './neovim';

/** Why tests with the program are skipped. */
export const noGo = process.env.REDLINE_PROGRAM === undefined && spawnSync('go', ['version']).status !== 0 ? 'there is no Go here to build redline with' : false;

let program: string | undefined, folder: string | undefined;

/** Removes the program that was built. */
export function removeProgram(): void {
	if (folder !== undefined) {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Builds redline once, unless REDLINE_PROGRAM names one. */
function built(): string {
	if (process.env.REDLINE_PROGRAM !== undefined) {
		return process.env.REDLINE_PROGRAM;
	}
	folder = mkdtempSync(join(tmpdir(), 'redline-built-'));
	const { status, stderr } = spawnSync('go', ['build', '-o', join(folder, 'redline'), '.'], { cwd: '../../cmd/redline', encoding: 'utf8' });
	if (status !== 0) {
		throw new Error(stderr);
	}
	return join(folder, 'redline');
}

export class Workspace {
	private readonly home = mkdtempSync(join(tmpdir(), 'redline-review-'));
	readonly folder = join(this.home, 'shop');
	private readonly reviews: ChildProcess[] = [];
	private readonly editors: Neovim[] = [];
	private readonly env = { ...process.env, HOME: this.home, XDG_CONFIG_HOME: join(this.home, 'config'), REDLINE_STATE_DIR: join(this.home, 'state'), OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };

	constructor(files: Record<string, string>) {
		program ??= built();
		for (const [name, text] of Object.entries(files)) {
			this.write(name, text);
		}
	}

	write(name: string, text: string): void {
		mkdirSync(dirname(join(this.folder, name)), { recursive: true });
		writeFileSync(join(this.folder, name), text);
	}

	read(name: string): string {
		return readFileSync(join(this.folder, name), 'utf8');
	}

	/** Runs redline with some words; the exit status says only what is left to do, so it is not looked at. */
	run(...words: string[]): Promise<string> {
		return new Promise((resolve) => {
			const child = execFile(program ?? '', words, { cwd: this.folder, env: this.env }, (_, stdout, stderr) => resolve(stdout + stderr));
			child.stdin?.end();
		});
	}

	/** Opens a file in a Neovim whose server is this redline. */
	neovim(file: string): Neovim {
		const editor = new Neovim(this.folder, file, program ?? '', this.env);
		this.editors.push(editor);
		return editor;
	}

	/** Starts a review; returns its address, its code, and its end. */
	async review(...words: string[]): Promise<{ address: string; code: string; ended: Promise<{ status: number | null; output: string }> }> {
		const child = spawn(program ?? '', ['review', '--no-open', '--wait', ...words], { cwd: this.folder, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
		this.reviews.push(child);
		let output = '';
		child.stdout.on('data', (part) => (output += String(part)));
		const ended = new Promise<{ status: number | null; output: string }>((resolve) => child.on('close', (status) => resolve({ status, output })));
		let address = '', code = '', said = '';
		for await (const line of createInterface({ input: child.stderr })) {
			said += `${line}\n`;
			address ||= /http:\/\/127\.0\.0\.1:\d+\/?/.exec(line)?.[0] ?? '';
			code ||= /code ([A-Z0-9]{4}-[A-Z0-9]{4})$/.exec(line)?.[1] ?? '';
			if (address !== '' && code !== '') {
				child.stderr.resume();
				return { address, code, ended };
			}
		}
		throw new Error(`redline review has ended: ${said}`);
	}

	/** Ends what still runs and removes the folder. */
	async remove(): Promise<void> {
		await Promise.all(this.editors.map((editor) => editor.quit()));
		for (const child of this.reviews.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
			const gone = new Promise((resolve) => child.once('exit', resolve));
			child.kill();
			await gone;
		}
		rmSync(this.home, { recursive: true, force: true });
	}
}
