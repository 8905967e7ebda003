import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { LanguageClient, Middleware } from 'vscode-languageclient/node';
import type { AfterEnd } from './client';
import { findServer, type Found } from './core/binary';
import { Restarts } from './core/restarts';
import { type Chosen, environmentOf } from './core/setup';
import type { Server as Status } from './core/status';
import type { Keys } from './keys';
import { kind, say } from './ui/say';

/** Finds, starts and stops the server, and restarts it when it ends by itself. */
export class Server implements vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<Status>();
	/** Fires when the server's status changes. */
	readonly onChange = this.changes.event;

	private client: LanguageClient | undefined;
	private status: Status = 'stopped';
	private readonly restarts = new Restarts();
	private isRunning = false;
	private wanted = false;
	private last: Promise<void> = Promise.resolve();
	/** The settings and key that it was started with, and whether take is changing them. */
	private startedWith = '';
	private taking = false;

	constructor(
		private readonly extension: string,
		readonly log: vscode.LogOutputChannel,
		private readonly keys: Keys,
		private readonly middleware: Middleware,
		private readonly prepare: (client: LanguageClient) => void,
		private readonly connected: (client: LanguageClient) => void,
		private readonly initialized: (client: LanguageClient) => void,
	) {}

	get state(): Status {
		return this.status;
	}

	/** Starts the server unless it runs. Never throws: it shows errors to the user. */
	start(): Promise<void> {
		return this.next(async () => {
			if (this.client) {
				return;
			}
			this.wanted = true;
			const key = await this.keys.of(this.chosen().provider);
			this.startedWith = this.with(key);
			const found = this.find();
			if ('problem' in found) {
				this.log.error(found.problem);
				this.set('missing');
				void this.tellMissing(found.problem);
				return;
			}
			this.log.info(`Starting ${found.program} (from ${found.from}).`);
			this.set('starting');
			const { follow, makeClient } = await import('./client');
			const client = makeClient(found.program, { ...this.environment(), ...environmentOf(this.chosen(), key) }, this.log, this.middleware, () => this.ended(), this.initialized);
			this.client = client;
			this.prepare(client);
			follow(client, (state) => {
				if (this.client !== client) {
					return;
				}
				this.isRunning = state === 'running';
				if (this.isRunning) {
					this.set('running');
					this.connected(client);
				} else if (state === 'starting') {
					this.set('starting');
				}
			});
			try {
				await client.start();
			} catch (error) {
				this.log.error(`The server did not start: ${String(error)}`);
				if (this.client === client) {
					this.client = undefined;
					this.set('failed');
					void this.tellEnded('Redline’s server did not start. The log says why.');
				}
			}
		});
	}

	/** Stops the server, and does not restart it. */
	stop(): Promise<void> {
		return this.next(async () => {
			this.wanted = false;
			this.isRunning = false;
			const client = this.client;
			this.client = undefined;
			this.set('stopped');
			try {
				await client?.dispose();
			} catch (error) {
				this.log.warn(`The server did not stop cleanly: ${String(error)}`);
			}
		});
	}

	async restart(): Promise<void> {
		this.restarts.forget();
		await this.stop();
		await this.start();
	}

	/** Finds the program by the current settings. */
	find(): Found {
		return findServer(vscode.workspace.getConfiguration('redline').get<string>('server.path', ''), {
			platform: process.platform, home: os.homedir(), path: process.env['PATH'] ?? process.env['Path'] ?? '',
			goBin: process.env['GOBIN'] ?? '', goPath: process.env['GOPATH'] ?? '', extension: this.extension, runs: isProgram,
		});
	}

	/** Returns the environment variables that the user has set for the server. */
	environment(): Record<string, string> {
		return vscode.workspace.getConfiguration('redline').get<Record<string, string>>('server.environment', {});
	}

	/** Returns the model that was set up; every member is empty if none was. */
	chosen(): Chosen {
		const model = vscode.workspace.getConfiguration('redline.model');
		return { provider: model.get('provider', ''), name: model.get('name', ''), baseUrl: model.get('baseUrl', '') };
	}

	/** Stores a model in the user's settings and its key in the secret storage, and restarts the server. */
	async take({ provider, name, baseUrl }: Chosen, key: string): Promise<void> {
		this.taking = true;
		try {
			await this.keys.set(provider, key);
			const model = vscode.workspace.getConfiguration('redline.model');
			for (const [setting, value] of Object.entries({ provider, name, baseUrl })) {
				await model.update(setting, value === '' ? undefined : value, vscode.ConfigurationTarget.Global);
			}
		} finally {
			this.taking = false;
		}
		await this.restart();
	}

	/** Restarts the server if the settings or the key that it was started with have changed. */
	async reconfigured(): Promise<void> {
		if (this.taking) {
			return; // take sets several settings and restarts the server itself
		}
		await this.last;
		if (this.with(await this.keys.of(this.chosen().provider)) !== this.startedWith) {
			await this.restart();
		}
	}

	/** Returns everything that a server is started with, for comparison. It contains the key: never show or log it. */
	private with(key: string): string {
		return JSON.stringify([vscode.workspace.getConfiguration('redline').get<string>('server.path', ''), this.environment(), this.chosen(), key]);
	}

	/** Returns the running client, or undefined. */
	running(): LanguageClient | undefined {
		return this.isRunning ? this.client : undefined;
	}

	/** Returns the running client once a server that is starting has started; undefined if none runs. */
	ready(): Promise<LanguageClient | undefined> {
		if (this.status !== 'starting') {
			return Promise.resolve(this.running());
		}
		return new Promise((resolve) => {
			const listening = this.onChange((status) => {
				if (status !== 'starting') {
					listening.dispose();
					resolve(this.running());
				}
			});
		});
	}

	dispose(): Promise<void> {
		return this.stop();
	}

	/** Runs starts and stops one after the other. */
	private next(work: () => Promise<void>): Promise<void> {
		this.last = this.last.then(work, work);
		return this.last;
	}

	private set(status: Status): void {
		if (this.status !== status) {
			this.status = status;
			this.changes.fire(status);
		}
	}

	/** Decides, when the connection has ended by itself, whether to restart: not if that happened too often. */
	private ended(): AfterEnd {
		this.log.error('The server ended unexpectedly.');
		this.isRunning = false;
		if (this.wanted && this.restarts.another(Date.now())) {
			this.set('starting');
			void this.tellEnded('Redline’s server ended unexpectedly and is restarting. Your plans are kept.');
			return 'restart';
		}
		this.client = undefined;
		this.set('failed');
		void this.tellEnded('Redline’s server keeps ending unexpectedly. See the log, then restart it. Your plans are kept.');
		return 'stay';
	}

	private async tellEnded(text: string): Promise<void> {
		const log = 'Show Log', again = 'Restart';
		const chosen = await vscode.window.showErrorMessage(text, log, ...(this.status === 'failed' ? [again] : []));
		if (chosen === log) {
			this.log.show();
		} else if (chosen === again) {
			await this.restart();
		}
	}

	/** Shows that the program is missing, with buttons to fix that. */
	async tellMissing(problem: string): Promise<void> {
		const choose = 'Choose…', settings = 'Open Settings', log = 'Show Log';
		const chosen = await say(kind.error, `Redline: ${problem}`, choose, settings, log);
		if (chosen === choose) {
			await this.choose();
		} else if (chosen === settings) {
			await vscode.commands.executeCommand('workbench.action.openSettings', 'redline.server.path');
		} else if (chosen === log) {
			this.log.show();
		}
	}

	/** Lets the user choose the program; the changed setting then starts it. */
	async choose(): Promise<void> {
		const [file] = (await vscode.window.showOpenDialog({ title: 'Where is the program “redline”?', openLabel: 'Use This Program' })) ?? [];
		if (file) {
			await vscode.workspace.getConfiguration('redline').update('server.path', file.fsPath, vscode.ConfigurationTarget.Global);
		}
	}
}

function isProgram(file: string): boolean {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}
