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

/** The server's life: found, started, stopped, and started again when it ends by itself. */
export class Server implements vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<Status>();
	/** Fires with each change of what the server is doing. */
	readonly onChange = this.changes.event;

	private client: LanguageClient | undefined;
	private status: Status = 'stopped';
	private readonly restarts = new Restarts();
	private isRunning = false;
	private wanted = false;
	private last: Promise<void> = Promise.resolve();
	/** With which settings and key it was started last, and whether they are being changed. */
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

	/** Starts the server unless it runs. It never throws: what is wrong is said to the user. */
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

	/** Stops the server, and does not start it again by itself. */
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

	/** Says where the program is, by the settings of now. */
	find(): Found {
		return findServer(vscode.workspace.getConfiguration('redline').get<string>('server.path', ''), {
			platform: process.platform, home: os.homedir(), path: process.env['PATH'] ?? process.env['Path'] ?? '',
			goBin: process.env['GOBIN'] ?? '', goPath: process.env['GOPATH'] ?? '', extension: this.extension, runs: isProgram,
		});
	}

	/** The variables that the user gives the server. */
	environment(): Record<string, string> {
		return vscode.workspace.getConfiguration('redline').get<Record<string, string>>('server.environment', {});
	}

	/** The model that was set up; all is empty if none was. */
	chosen(): Chosen {
		const model = vscode.workspace.getConfiguration('redline.model');
		return { provider: model.get('provider', ''), name: model.get('name', ''), baseUrl: model.get('baseUrl', '') };
	}

	/** Keeps another model in the user's settings and its key in the secret storage, and starts the server with them. */
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

	/** The settings or a key may have changed: a server that was started with others is started anew. */
	async reconfigured(): Promise<void> {
		if (this.taking) {
			return; // one change is several settings: the server is started when all of them are there
		}
		await this.last;
		if (this.with(await this.keys.of(this.chosen().provider)) !== this.startedWith) {
			await this.restart();
		}
	}

	/** All that a server is started with. It holds the key: it is compared, and never shown. */
	private with(key: string): string {
		return JSON.stringify([vscode.workspace.getConfiguration('redline').get<string>('server.path', ''), this.environment(), this.chosen(), key]);
	}

	/** The running client, or undefined while there is none. */
	running(): LanguageClient | undefined {
		return this.isRunning ? this.client : undefined;
	}

	dispose(): Promise<void> {
		return this.stop();
	}

	/** Runs one change of the server's life after the other. */
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

	/** The connection has ended without our doing: start again, unless that has been tried too often. */
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

	/** Says that the program is missing, with the ways out. */
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

	/** Lets the user say where the program is; the change of the setting starts it. */
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
