import * as vscode from 'vscode';
import type { Comparison, Completions, Conversation, DocumentHunk, Plan, Range, Scope, Sent, State, TextEdit } from './protocol';
import type { Quiet } from './core/quiet';
import type { Server } from './server';
import { shownIn } from './ui/diff';
import { unsavedOf } from './ui/proposed';
import { kind, say } from './ui/say';

/** The result of a request, or why it was refused; a refusal has already been shown to the user. */
export type Outcome<T> = { result: T } | { refused: string };

/** Commands that change nothing and send nothing: the only ones allowed in an untrusted workspace. */
const harmless = new Set(['redline.show', 'redline.state', 'redline.cancel', 'redline.complete', 'redline.hunks']);

/** Commands on a plan that are also about the user's drafts, apart from approvals. */
const ofDrafts = new Set(['redline.rework', 'redline.try', 'redline.show', 'redline.stage', 'redline.rollback']);

/** A request with its context. */
export interface Ask {
	message: string;
	textDocument?: { uri: string };
	range?: Range;
	conversation?: string;
	mode?: string;
	/** Who does the work of the conversation from now on: an outside agent, or `model`. */
	with?: string;
}

/** Calls the server's commands, with types. */
export class Requests {
	/**
	 * plan returns a plan as it is now. take makes the drafts of a plan revisions of it, those of all plans for 0. It returns why
	 * some were refused; undefined if there were none.
	 */
	constructor(private readonly server: Server, private readonly quiet: Quiet, private readonly plan: (number: number) => Plan | undefined, private readonly take: (plan: number) => Promise<string[] | undefined>) {}

	chat = (ask: Ask): Promise<Outcome<Sent>> => this.call('redline.chat', ask);
	approve = (scope: Scope): Promise<Outcome<unknown>> => this.quiet.during(scope, () => this.call('redline.approve', scope));
	reject = (scope: Scope & { reason?: string }): Promise<Outcome<Plan>> => this.call('redline.reject', scope);
	undo = ({ plan, path, hunk }: Scope): Promise<Outcome<unknown>> =>
		this.call('redline.undo', { plan, ...(path !== undefined && { path }), ...(hunk !== undefined && { hunk }) });
	rework = (plan: number, feedback: string): Promise<Outcome<Sent>> => this.call('redline.rework', { plan, feedback });
	/** Reworks a plan because of a failed trial. */
	fix = (plan: number, trial?: string): Promise<Outcome<Sent>> => this.call('redline.rework', { plan, trial });
	/** Tries a command on a plan, by default the plan's own commands. */
	attempt = (plan: number, command?: string): Promise<Outcome<{ turn: string }>> => this.call('redline.try', { plan, ...(command !== undefined && { command }) });
	/** Allows trials in this workspace. Call it only when the user has asked for that. */
	allowTrials = (): Promise<Outcome<{ allowed: boolean; reason?: string }>> => this.call('redline.allowTrials', {});
	cancel = (turn?: string): Promise<Outcome<unknown>> => this.call('redline.cancel', turn === undefined ? {} : { turn });
	show = (plan: number): Promise<Outcome<{ uri: string }>> => this.call('redline.show', { plan, view: 'plan' });
	/** Opens the page of a trace, by default of the last turn. */
	trace = (trace?: string): Promise<Outcome<{ uri: string }>> => this.call('redline.show', { view: 'trace', ...(trace !== undefined && { turn: trace }) });
	compare = (plan: number, from: number, to: number): Promise<Outcome<Comparison>> => this.call('redline.show', { plan, view: 'compare', from, to });
	/** Takes operations out of a plan; restage puts them back. */
	unstage = (plan: number, operations: string[]): Promise<Outcome<Plan>> => this.call('redline.stage', { plan, remove: operations });
	restage = (plan: number, operations: string[]): Promise<Outcome<Plan>> => this.call('redline.stage', { plan, restore: operations });
	/** Makes a revision by the user, with another proposed text of a file. */
	edit = (edit: TextEdit): Promise<Outcome<Plan>> => this.call('redline.edit', edit);
	rollback = (plan: number, revision: number): Promise<Outcome<Plan>> => this.call('redline.rollback', { plan, revision });
	rate = (plan: number, rating: number): Promise<Outcome<Plan>> => this.call('redline.rate', { plan, rating });
	/** Returns the conversations of the workspace, newest first; or one, with what was said in it. */
	conversations = (conversation?: string): Promise<Outcome<{ conversations: Conversation[] }>> => this.call('redline.conversations', conversation === undefined ? {} : { conversation });
	state = (): Promise<Outcome<State>> => this.call('redline.state', {});

	/** Returns completions for a message. Shows no error: the user is typing. */
	async complete(text: string): Promise<Completions> {
		const none = { replaces: '', items: [] };
		try {
			const found = this.server.running()?.sendRequest<Completions>('workspace/executeCommand', { command: 'redline.complete', arguments: [{ text }] });
			return (await found) ?? none;
		} catch {
			return none;
		}
	}

	/** Returns the undecided hunks of a document, with their texts. Shows no error: what cannot be drawn is still marked. */
	async hunks(uri: string): Promise<DocumentHunk[]> {
		try {
			const found = this.server.running()?.sendRequest<{ hunks: DocumentHunk[] }>('workspace/executeCommand', { command: 'redline.hunks', arguments: [{ textDocument: { uri } }] });
			return (await found)?.hunks ?? [];
		} catch {
			return [];
		}
	}

	/**
	 * Prepares a command: the drafts of its plan become revisions first, since it is about what the user sees. An approval is
	 * refused then, and the new revision shown. Returns why the command cannot run, after a message about it.
	 */
	async prepare(command: string, argument: unknown): Promise<{ refused: string } | undefined> {
		const scope = (argument ?? {}) as Partial<Scope & Ask>, { plan, message = '' } = scope;
		if (command === 'redline.chat') {
			const [why] = (await this.take(0))?.concat(revised) ?? [];
			return why !== undefined && /^\s*\/approve\b/.test(message) ? { refused: why } : undefined;
		}
		if (typeof plan === 'number' && command === 'redline.approve') {
			const unfit = this.unsaved({ ...scope, plan }), refused = unfit ? undefined : await this.take(plan);
			return unfit ?? (refused && (refused[0] === undefined ? this.newlyRevised({ ...scope, plan }) : { refused: refused[0] }));
		}
		if (typeof plan === 'number' && ofDrafts.has(command)) {
			await this.take(plan);
		}
		return undefined;
	}

	/** Refuses to approve a plan while the user's edits of its proposed texts are not saved: they are no part of it yet. */
	private unsaved(scope: Scope): { refused: string } | undefined {
		const [document, ...more] = unsavedOf(scope.plan);
		if (!document) {
			return undefined;
		}
		const name = document.uri.path.slice(document.uri.path.lastIndexOf('/') + 1), next = (this.plan(scope.plan)?.revision ?? 0) + 1;
		const refused = `Redline: you have changed the proposed text of ${name} and not saved it. Save it to make it part of plan ${scope.plan}, then approve.`;
		const save = `Save to Make Revision ${next}`;
		void say(kind.warning, refused, save).then(async (chosen) => {
			let saved = chosen === save;
			for (const one of [document, ...more]) { // one after the other: each makes a revision of the one before
				saved = saved && (await one.save());
			}
			if (saved) {
				await this.offer(scope);
			}
		});
		return { refused };
	}

	/** Refuses to approve a plan whose drafts have just become a revision, which nobody has looked at. */
	private newlyRevised(scope: Scope): { refused: string } {
		void this.offer(scope);
		return { refused: revised };
	}

	/** Shows a revision that the user's edits have become. Offers to approve just that one, if the user has asked for the whole plan. */
	private async offer({ plan: number, path, hunk, operation, allowCommands }: Scope): Promise<void> {
		const tab = vscode.window.tabGroups.activeTabGroup.activeTab, shown = shownIn(tab)?.plan === number ? shownIn(tab) : undefined;
		if (!shown || (path === undefined ? (this.plan(number)?.files.length ?? 0) > 1 : shown.path !== path)) {
			await vscode.commands.executeCommand('redline.ui.review', number);
		}
		const plan = this.plan(number), isWhole = [path, hunk, operation, allowCommands].every((part) => part === undefined);
		const approve = `Approve Revision ${plan?.revision}`;
		if (plan && (await say(kind.warning, `Redline: ${revised}`, ...(isWhole ? [approve] : []))) === approve) {
			await this.approve({ plan: number, revision: plan.revision, hash: plan.hash });
		}
	}

	private async call<T>(command: string, argument: object): Promise<Outcome<T>> {
		const client = await this.server.ready();
		if (!client) {
			const refused = 'Redline is not running.';
			void offerStart(refused);
			return { refused };
		}
		if (!permitted(command)) {
			return { refused: untrusted };
		}
		const unfit = await this.prepare(command, argument);
		if (unfit) {
			return unfit;
		}
		try {
			return { result: await client.sendRequest<T>('workspace/executeCommand', { command, arguments: [argument] }) };
		} catch (error) {
			if (this.server.running() !== client) { // the user knows that it ended
				return { refused: 'Redline’s server ended before it answered. Check the plan once it has restarted.' };
			}
			return { refused: reason(error) };
		}
	}
}

const revised = 'What you edited is part of the plan now. Look at the new revision, then approve.';

const untrusted = 'This workspace is not trusted: you can only look at plans. Trust it to do more.';

/** Reports whether a command may run here, and warns the user if not. */
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

/** Returns why a request failed. Shows the error unless it is a refusal, which the server shows itself. */
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
