import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { entriesOf } from '../core/history';
import { sentence, type Transcript } from '../core/transcript';
import { noTrials } from '../core/trials';
import type { Way } from '../core/ways';
import { choiceIn, workers, type Workers } from '../core/worker';
import type { Standing } from '../protocol';
import type { Requests } from '../requests';
import type { Server } from '../server';
import type { Running } from '../ui/running';
import type { TrialOutputs } from '../ui/trials';
import type { Keeper } from './keeper';
import { type Act, read, type ToExtension, type ToView } from './messages';
import { type Place, PlaceInEditor } from './place';

/** Shows the transcript in the chat view and sends what the user writes. It keeps no state of its own. */
export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
	static readonly id = 'redline.chat';

	private view: vscode.WebviewView | undefined;
	/** Whether the page is loaded and listens. It is loaded anew each time that it is shown. */
	private listening = false;
	private prompt: string | undefined;
	private readonly place = new PlaceInEditor();
	/** How many messages have no answer yet. */
	private sending = 0;
	private readonly subscriptions: vscode.Disposable[];

	constructor(
		private readonly extension: vscode.Uri,
		private readonly server: Server,
		private readonly board: Board,
		private readonly transcript: Transcript,
		private readonly requests: Requests,
		private readonly keeper: Keeper,
		private readonly outputs: TrialOutputs,
		private readonly running: Running,
	) {
		this.subscriptions = [
			this.place, { dispose: this.place.changed.listen(() => this.post(this.attachMessage())) },
			vscode.window.registerWebviewViewProvider(ChatView.id, this),
			server.onChange(() => this.post(this.serverMessage())),
			vscode.workspace.onDidGrantWorkspaceTrust(() => this.init()),
			{ dispose: board.stood.listen(() => this.post({ type: 'trials', standing: this.standing() })) },
			{ dispose: board.modelled.listen(() => this.post(this.modelMessage())) },
			{ dispose: board.changed.listen((plan) => (plan ? this.post({ type: 'plan', plan }) : this.init())) },
			{ dispose: transcript.changed.listen((change) => (change.type === 'all' ? this.init() : this.post(change))) },
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	get visible(): boolean {
		return this.view?.visible === true;
	}

	/** Opens and focuses the view; a prompt becomes the start of the next message. */
	async open(prompt?: string): Promise<void> {
		this.prompt = prompt ?? '';
		this.givePrompt();
		await vscode.commands.executeCommand(`${ChatView.id}.focus`);
	}

	/**
	 * Shows the view without taking the focus, on the first request in a workspace. If the user closes it, it stays closed
	 * until they open it.
	 */
	async reveal(): Promise<void> {
		if (!this.keeper.opened) {
			this.keeper.opened = true;
			await vscode.commands.executeCommand(`${ChatView.id}.focus`, { preserveFocus: true });
		}
	}

	/** Sends a message, with the place in the editor if it is about that, and notes a refusal. */
	async send(text: string, aboutPlace = false): Promise<void> {
		const place = aboutPlace ? this.place.now() : undefined;
		const before = this.keeper.conversation;
		const chosen = choiceIn(text);
		if (chosen !== undefined && workers(this.board.agents, chosen).chosen === chosen) {
			this.keeper.worker = chosen;
			this.post(this.modelMessage());
		}
		const { agents, chosen: worker } = this.workers();
		this.sending++;
		const outcome = await this.requests.chat({ ...(before !== undefined && { conversation: before }), ...(agents.length > 0 && chosen === undefined && { with: worker }), ...this.at(place), message: text });
		this.sending--;
		if ('result' in outcome) {
			const { turn, conversation } = outcome.result;
			this.transcript.sent(turn, text, place?.label);
			this.keeper.conversation = conversation;
			if (before !== undefined && before !== conversation) {
				this.transcript.anew(turn);
			}
		} else {
			this.refuse(outcome.refused);
		}
	}

	/** Does what a button of a message about a plan says. */
	async go(way: Way, number: number | undefined): Promise<void> {
		const plan = number === undefined ? undefined : this.board.plan(number);
		switch (way) {
			case 'saveAll':
				await vscode.commands.executeCommand('workbench.action.files.saveAll');
				break;
			case 'output': {
				const trial = plan?.trials?.at(-1);
				await (plan && trial && this.outputs.open(plan.plan, trial.id));
				break;
			}
			case 'rest':
				await (plan && this.requests.approve({ plan: plan.plan, revision: plan.revision, hash: plan.hash, skipStale: true }));
				break;
			case 'retry':
				await this.send('/retry');
				break;
			case 'chat':
				await this.open();
				break;
			default:
				await vscode.commands.executeCommand(`redline.ui.${way}`, ...(way === 'setup' ? [] : [number]));
		}
	}

	/** The conversation that the next message goes to. */
	get conversation(): string | undefined {
		return this.keeper.conversation;
	}

	/** Shows an earlier conversation; the next message continues it. */
	async openEarlier(id: string): Promise<void> {
		const outcome = await this.requests.conversations(id);
		const [said] = 'result' in outcome ? outcome.result.conversations : [];
		if (said) {
			this.keeper.conversation = id;
			this.transcript.open(entriesOf(said));
			await this.open();
		}
	}

	/** Returns the members of a request that say which place it is about. */
	private at(place: Place | undefined): Partial<Parameters<Requests['chat']>[0]> {
		const converter = this.server.running()?.code2ProtocolConverter;
		return place && converter ? { textDocument: { uri: converter.asUri(place.document) }, ...(place.selection && { range: converter.asRange(place.selection) }) } : {};
	}

	/** Shows an error in the chat if it refuses a message that was just sent here. Returns whether it did. */
	refuses(message: string): boolean {
		const here = this.visible && this.sending > 0;
		if (here) {
			this.refuse(message);
		}
		return here;
	}

	/** Notes a refusal once: the server sends each twice, as a message and as the answer. */
	private refuse(text: string): void {
		const said = sentence(text);
		const last = this.transcript.all().at(-1);
		if (last?.kind !== 'note' || last.text !== said) {
			this.transcript.note(said, 'error');
		}
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		this.view = view;
		this.listening = false;
		const roots = ['dist', 'media'].map((name) => vscode.Uri.joinPath(this.extension, name));
		view.webview.options = { enableScripts: true, enableForms: false, localResourceRoots: roots };
		view.webview.html = this.page(view.webview);
		view.webview.onDidReceiveMessage((message: unknown) => {
			const known = read(message);
			if (known) {
				void this.take(known);
			}
		});
		view.onDidChangeVisibility(() => (this.listening &&= view.visible));
		view.onDidDispose(() => {
			this.view = undefined;
			this.listening = false;
		});
	}

	private async take(message: ToExtension): Promise<void> {
		switch (message.type) {
			case 'ready':
				this.listening = true;
				this.init();
				this.post(this.attachMessage());
				this.givePrompt();
				break;
			case 'look':
				this.place.look();
				break;
			case 'send':
				this.keeper.worker = message.with ?? this.keeper.worker;
				await this.send(message.text, message.place);
				break;
			case 'copy':
				await vscode.env.clipboard.writeText(message.text);
				break;
			case 'cancel':
				await this.requests.cancel(message.turn);
				break;
			case 'complete':
				this.post({ type: 'completions', text: message.text, ...(await this.requests.complete(message.text)) });
				break;
			case 'output':
				await this.outputs.open(message.plan, message.trial);
				break;
			case 'problem':
				await vscode.commands.executeCommand('redline.ui.problem', message.plan, message.path, message.line);
				break;
			case 'way':
				await this.go(message.way, message.plan);
				break;
			case 'trace':
				await this.requests.trace(message.trace);
				break;
			case 'act':
				await this.act(message.act, { plan: message.plan, revision: message.revision, hash: message.hash }, message.leaveOut);
				break;
		}
	}

	private async act(act: Act, scope: { plan: number; revision: number; hash: string }, leaveOut: boolean): Promise<void> {
		const skip = leaveOut && { skipStale: true };
		switch (act) {
			case 'approve':
				await this.requests.approve({ ...scope, ...skip });
				break;
			case 'commands':
				await this.running.approve({ ...scope, allowCommands: true, ...skip });
				break;
			case 'reject':
				await this.requests.reject(scope);
				break;
			case 'undo':
				await this.requests.undo(scope);
				break;
			case 'saveAll':
				await vscode.commands.executeCommand('workbench.action.files.saveAll');
				break;
			case 'again':
				await this.open(this.board.plan(scope.plan)?.goal);
				break;
			case 'fix':
			case 'rework':
			case 'try':
				await vscode.commands.executeCommand(`redline.ui.${act}`, scope.plan);
				break;
			case 'allow':
				await vscode.commands.executeCommand('redline.ui.allowTrials');
				break;
			case 'good':
			case 'bad':
				await this.requests.rate(scope.plan, act === 'good' ? 5 : 1);
				break;
			case 'review':
				await vscode.commands.executeCommand('redline.ui.review', scope.plan);
				break;
			case 'preview':
				await this.requests.show(scope.plan);
				break;
		}
	}

	private init(): void {
		const { connected, starting, trusted } = this.serverMessage();
		this.post({ type: 'init', entries: this.transcript.all(), plans: this.board.plans(), standing: this.standing(), connected, starting, trusted, builtin: this.isBuiltin(), workers: this.workers() });
	}

	private modelMessage() {
		return { type: 'model' as const, builtin: this.isBuiltin(), workers: this.workers() };
	}

	private attachMessage() {
		const place = this.place.now();
		return { type: 'attach' as const, ...(place && { attached: { label: place.label, path: place.path } }) };
	}

	private workers(): Workers {
		return workers(vscode.workspace.isTrusted ? this.board.agents : [], this.keeper.worker, this.board.model);
	}

	private isBuiltin(): boolean {
		return this.board.model.provider === 'builtin';
	}

	private standing(): Standing {
		return vscode.workspace.isTrusted ? this.board.standing : noTrials;
	}

	private serverMessage() {
		return { type: 'server' as const, connected: this.server.state === 'running', starting: this.server.state === 'starting', trusted: vscode.workspace.isTrusted };
	}

	/** Sends the prompt to the page once it listens. */
	private givePrompt(): void {
		if (this.prompt !== undefined && this.listening) {
			this.post({ type: 'prompt', text: this.prompt });
			this.prompt = undefined;
		}
	}

	private post(message: ToView): void {
		void this.view?.webview.postMessage(message);
	}

	private page(webview: vscode.Webview): string {
		const nonce = randomBytes(16).toString('base64');
		const uri = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(this.extension, ...path)).toString();
		const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
		return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('media', 'chat.css')}">
<title>Redline</title>
</head>
<body>
<main id="log" role="log" aria-label="Conversation with Redline" aria-live="off" tabindex="-1"></main>
<form id="composer" autocomplete="off">
<ul id="chips" aria-label="What goes with the message" hidden></ul>
<ul id="completions" role="listbox" aria-label="Suggestions" hidden></ul>
<textarea id="message" rows="1" placeholder="Ask for a change (@ file, / command)" role="combobox" aria-label="Message to Redline"
 aria-autocomplete="list" aria-expanded="false" aria-controls="completions"></textarea>
<div class="bar"><select id="with" aria-label="Who does the work" title="Who does the work: the model, or an agent in a copy of the workspace" hidden></select><span id="hint" role="status"></span><button id="cancel" type="button" class="secondary" hidden>Cancel</button><button id="send" type="submit">Send</button></div>
</form>
<script nonce="${nonce}" src="${uri('dist', 'chat.js')}"></script>
</body>
</html>`;
	}
}
