import * as vscode from 'vscode';
import type { Comparison, Completions, DocumentHunk, Plan, Range, Scope, Sent, State } from './protocol';
import type { Quiet } from './core/quiet';
import type { Server } from './server';
import { kind, say } from './ui/say';

/** What came of a request: its result, or why there is none. The user has been told. */
export type Outcome<T> = { result: T } | { refused: string };

/** Commands that change nothing and send nothing: these are all that a workspace that is not trusted may use. */
const harmless = new Set(['redline.show', 'redline.state', 'redline.cancel', 'redline.complete', 'redline.hunks']);

/** What a request may have besides its words. */
export interface Ask {
	message: string;
	textDocument?: { uri: string };
	range?: Range;
	conversation?: string;
	mode?: string;
}

/** The server's commands, typed. */
export class Requests {
	constructor(private readonly server: Server, private readonly quiet: Quiet) {}

	chat = (ask: Ask): Promise<Outcome<Sent>> => this.call('redline.chat', ask);
	approve = (scope: Scope): Promise<Outcome<unknown>> => this.quiet.during(scope, () => this.call('redline.approve', scope));
	reject = (scope: Scope & { reason?: string }): Promise<Outcome<Plan>> => this.call('redline.reject', scope);
	undo = ({ plan, path, hunk }: Scope): Promise<Outcome<unknown>> =>
		this.call('redline.undo', { plan, ...(path !== undefined && { path }), ...(hunk !== undefined && { hunk }) });
	rework = (plan: number, feedback: string): Promise<Outcome<Sent>> => this.call('redline.rework', { plan, feedback });
	/** Has the plan made again because of a trial that has failed. */
	fix = (plan: number, trial?: string): Promise<Outcome<Sent>> => this.call('redline.rework', { plan, trial });
	/** Tries a command on what a plan proposes; without one, the plan's own. */
	attempt = (plan: number, command?: string): Promise<Outcome<{ turn: string }>> => this.call('redline.try', { plan, ...(command !== undefined && { command }) });
	/** Says that commands may be tried in this workspace: only when the user has asked for that. */
	allowTrials = (): Promise<Outcome<{ allowed: boolean; reason?: string }>> => this.call('redline.allowTrials', {});
	cancel = (turn?: string): Promise<Outcome<unknown>> => this.call('redline.cancel', turn === undefined ? {} : { turn });
	show = (plan: number): Promise<Outcome<{ uri: string }>> => this.call('redline.show', { plan, view: 'plan' });
	/** Opens the page of a trace: of the last turn, or of the trace with that id. */
	trace = (trace?: string): Promise<Outcome<{ uri: string }>> => this.call('redline.show', { view: 'trace', ...(trace !== undefined && { turn: trace }) });
	compare = (plan: number, from: number, to: number): Promise<Outcome<Comparison>> => this.call('redline.show', { plan, view: 'compare', from, to });
	/** Takes operations out of a plan, or puts back what was taken out. */
	unstage = (plan: number, operations: string[]): Promise<Outcome<Plan>> => this.call('redline.stage', { plan, remove: operations });
	restage = (plan: number, operations: string[]): Promise<Outcome<Plan>> => this.call('redline.stage', { plan, restore: operations });
	rollback = (plan: number, revision: number): Promise<Outcome<Plan>> => this.call('redline.rollback', { plan, revision });
	rate = (plan: number, rating: number): Promise<Outcome<Plan>> => this.call('redline.rate', { plan, rating });
	state = (): Promise<Outcome<State>> => this.call('redline.state', {});

	/** What can be completed in a message. Nobody is told when that fails: it happens while they type. */
	async complete(text: string): Promise<Completions> {
		const none = { replaces: '', items: [] };
		try {
			const found = this.server.running()?.sendRequest<Completions>('workspace/executeCommand', { command: 'redline.complete', arguments: [{ text }] });
			return (await found) ?? none;
		} catch {
			return none;
		}
	}

	/** The undecided hunks of a document, with their texts. Nobody is told when that fails: what cannot be drawn is still marked. */
	async hunks(uri: string): Promise<DocumentHunk[]> {
		try {
			const found = this.server.running()?.sendRequest<{ hunks: DocumentHunk[] }>('workspace/executeCommand', { command: 'redline.hunks', arguments: [{ textDocument: { uri } }] });
			return (await found)?.hunks ?? [];
		} catch {
			return [];
		}
	}

	private async call<T>(command: string, argument: object): Promise<Outcome<T>> {
		const client = this.server.running();
		if (!client) {
			const refused = 'Redline is not running.';
			void offerStart(refused);
			return { refused };
		}
		if (!permitted(command)) {
			return { refused: untrusted };
		}
		try {
			return { result: await client.sendRequest<T>('workspace/executeCommand', { command, arguments: [argument] }) };
		} catch (error) {
			if (this.server.running() !== client) { // its end has been told
				return { refused: 'Redline’s server ended before it answered. Check the plan once it has restarted.' };
			}
			return { refused: reason(error) };
		}
	}
}

const untrusted = 'This workspace is not trusted: you can only look at plans. Trust it to do more.';

/** Tells whether a command may run here, and the user if not. */
export function permitted(command: string): boolean {
	if (vscode.workspace.isTrusted || harmless.has(command)) {
		return true;
	}
	const manage = 'Manage Workspace Trust';
	void vscode.window.showWarningMessage(untrusted, manage).then((chosen) => {
		if (chosen === manage) {
			void vscode.commands.executeCommand('workbench.trust.manage');
		}
	});
	return false;
}

/** Says why a request failed. The server tells its refusals itself; everything else is told here. */
export function reason(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	const refusal = (error as { data?: { kind?: string } } | undefined)?.data?.kind !== undefined;
	if (!refusal) {
		void say(kind.error, `Redline: ${text}`);
	}
	return text;
}

async function offerStart(text: string): Promise<void> {
	const start = 'Start', log = 'Show Log';
	const chosen = await vscode.window.showErrorMessage(text, start, log);
	if (chosen === start) {
		await vscode.commands.executeCommand('redline.ui.restart');
	} else if (chosen === log) {
		await vscode.commands.executeCommand('redline.ui.showLog');
	}
}
