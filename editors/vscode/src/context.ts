import * as vscode from 'vscode';
import type { LanguageClient, Middleware, ShowMessageParams, ShowMessageRequestParams } from 'vscode-languageclient/node';
import { Keeper } from './chat/keeper';
import { ChatView } from './chat/view';
import { Board } from './core/board';
import { Quiet } from './core/quiet';
import { isNews, sentence, tellsOfPlan, Transcript } from './core/transcript';
import { planIn, waysOf } from './core/ways';
import { previewed } from './core/plans';
import { isOfTrials } from './core/trials';
import { Keys } from './keys';
import type { Event, Scope } from './protocol';
import { permitted, reason, Requests } from './requests';
import { Server } from './server';
import { Buttons } from './ui/buttons';
import { Comparing } from './ui/comparing';
import { Diffs } from './ui/diff';
import { Drafted } from './ui/drafted';
import { Drawn } from './ui/drawn';
import { Here } from './ui/here';
import { HunkTexts } from './ui/hunktexts';
import { ProposedLenses, short } from './ui/lenses';
import { foldSections } from './ui/trace';
import { offerDiffMode } from './ui/diffmode';
import { Places } from './ui/places';
import { Proposed } from './ui/proposed';
import { Revisions } from './ui/revisions';
import { Running } from './ui/running';
import { kind, say } from './ui/say';
import { StatusBar } from './ui/statusbar';
import { TrialOutputs } from './ui/trials';
import { PlansTree } from './ui/tree';
import { Versions } from './ui/upgrade';

/** Builds the parts of the extension and connects them: the server's events go to the parts that show them. */
export class Context implements vscode.Disposable {
	readonly log = vscode.window.createOutputChannel('Redline', { log: true });
	readonly board = new Board();
	readonly transcript = new Transcript();
	readonly places = new Places(this.board);
	readonly keys: Keys;
	readonly server: Server;
	readonly requests: Requests;
	readonly chat: ChatView;
	readonly tree: PlansTree;
	readonly diffs: Diffs;
	readonly here: Here;
	readonly texts: HunkTexts;
	readonly comparing: Comparing;
	readonly running: Running;
	private readonly quiet = new Quiet();
	readonly outputs: TrialOutputs;
	readonly revisions: Revisions;
	private readonly versions: Versions;
	/** The pages that the model has opened. */
	private readonly called = new Set<string>();
	private fetching = false;
	private again = false;
	readonly proposed: Proposed;
	private readonly keeper: Keeper;
	private readonly parts: vscode.Disposable[];

	constructor(extension: vscode.ExtensionContext) {
		this.keys = new Keys(extension.secrets);
		this.server = new Server(extension.extensionPath, this.log, this.keys, this.middleware(), (client) => this.listen(client), (client) => this.connected(client), (client) => this.proposed.follow(client));
		this.versions = new Versions(extension.extension.packageJSON, this.server);
		this.requests = new Requests(this.server, this.quiet, (plan) => this.board.plan(plan), (plan) => this.proposed.take(plan));
		this.running = new Running(this.board, this.requests);
		this.keeper = new Keeper(extension.workspaceState, this.transcript);
		this.outputs = new TrialOutputs(this.board);
		this.chat = new ChatView(extension.extensionUri, this.server, this.board, this.transcript, this.requests, this.keeper, this.outputs, this.running);
		this.tree = new PlansTree(this.board);
		this.proposed = new Proposed(this.board, this.server, this.requests, extension.workspaceState);
		this.diffs = new Diffs(this.board, this.proposed);
		this.comparing = new Comparing(this.board, this.places, this.diffs, this.requests);
		this.revisions = new Revisions(this.server);
		this.here = new Here(this.board, this.places, this.proposed);
		this.texts = new HunkTexts(this.places, this.board, this.requests);
		this.parts = [
			this.chat, this.tree, this.diffs, this.outputs, this.revisions, this.here, this.proposed, this.keeper, new ProposedLenses(this.board, this.proposed.drafts),
			this.texts, new Drawn(this.places, this.texts, vscode.Uri.joinPath(extension.extensionUri, 'media')),
			new Drafted(this.board),
			new StatusBar(this.server, this.board), new Buttons(this.here),
			{ dispose: this.places.changed.listen((uri) => this.board.placed((file) => vscode.Uri.parse(file).toString() === uri.toString(), this.places.in(uri))) },
			{ dispose: this.board.staged.listen(() => void this.fetchDraft()) },
			this.server.onChange((state) => {
				if (state !== 'running') {
					this.board.disconnected();
					this.transcript.disconnected();
					this.places.clear();
				}
			}),
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.parts).dispose();
		this.log.dispose();
	}

	/** Fetches the state of a new connection, once; then events keep it up to date. */
	private connected(client: LanguageClient): void {
		this.transcript.connected();
		void this.versions.check(client.initializeResult?.serverInfo?.version ?? '');
		const told = new Set<number>();
		const stop = this.board.changed.listen((plan) => plan && told.add(plan.plan));
		void this.requests.state().then((outcome) => {
			stop();
			if ('result' in outcome && this.server.running() === client) {
				this.board.reset(outcome.result, told);
			}
		});
	}

	/** Fetches what a turn has staged, one request at a time: the newest answer has all. */
	private async fetchDraft(): Promise<void> {
		this.again = true;
		if (this.fetching) {
			return;
		}
		this.fetching = true;
		while (this.again) {
			this.again = false;
			const outcome = await this.requests.state();
			const draft = 'result' in outcome ? outcome.result.plans.find((plan) => plan.plan === 0) : undefined;
			if (draft) {
				this.board.takeDraft(draft);
			}
		}
		this.fetching = false;
	}

	/** Intercepts messages between server and editor. */
	private middleware(): Middleware {
		return {
			handleDiagnostics: (uri, diagnostics, next) => next(uri, this.places.take(uri, diagnostics)),
			handleWorkDoneProgress: () => undefined, // the status bar item shows it, and can cancel it
			// In an untrusted workspace, do not even offer to allow trials.
			provideCodeActions: async (document, range, context, token, next) =>
				(await next(document, range, context, token))?.filter((action) => vscode.workspace.isTrusted || !isOfTrials(action)),
			provideCodeLenses: async (document, token, next) => {
				const lenses = await next(document, token);
				return lenses && short(lenses, this.board, (plan) => this.proposed.isEditedIn(plan));
			},
			executeCommand: async (command, args, next) => {
				const show = args[0] as { view?: string; prompt?: string } | undefined;
				if (command === 'redline.show' && show?.view === 'chat') {
					return this.chat.open(show.prompt);
				}
				if (!permitted(command)) {
					return undefined;
				}
				try {
					const scope = args[0] as Scope | undefined;
					if (await this.requests.prepare(command, scope)) {
						return undefined;
					}
					const run = async () => (await next(command, args)) as unknown;
					return await (command === 'redline.approve' && typeof scope?.plan === 'number' ? this.quiet.during(scope, run) : run());
				} catch (failure) {
					reason(failure);
					return undefined;
				}
			},
			didSave: (document, next) => {
				// Saving the chat file can send a message, and saving a preview revises its plan.
				const own = /[/\\]\.redline[/\\]/.test(document.uri.fsPath);
				return own && !vscode.workspace.isTrusted ? Promise.resolve() : next(document);
			},
			window: {
				showDocument: async (params, token, next) => {
					const [plan, revision] = previewed(params.uri) ?? [];
					if (!this.called.delete(params.uri) && plan !== undefined && params.takeFocus === false) { // a new plan, not one that the user has opened
						const how = newPlan();
						if (how === 'nothing' || (how === 'review' && (await this.review(Number(plan), Number(revision))))) {
							return { success: true };
						}
					}
					const shown = await next(params, token);
					if (/\/plans\/trace\.md$/.test(params.uri) && params.takeFocus === true) {
						void foldSections(params.uri);
					}
					return shown;
				},
			},
		};
	}

	/** Compares a new plan with the live text. Fetches the plan if its event has not arrived yet. */
	private async review(number: number, revision: number): Promise<boolean> {
		if ((this.board.plan(number)?.revision ?? 0) < revision) {
			const outcome = await this.requests.state();
			const told = 'result' in outcome ? outcome.result.plans.find((plan) => plan.plan === number) : undefined;
			if (told && (this.board.plan(number)?.revision ?? 0) < revision) {
				this.board.take(told);
			}
		}
		return this.diffs.plan(number, true);
	}

	/** Shows a message, with buttons for what comes next. */
	private async inform(matters: number, message: string): Promise<void> {
		const number = planIn(message), plan = number === undefined ? undefined : this.board.plan(number);
		const ways = waysOf(message, plan, matters === kind.error);
		const chosen = await say(matters, message, ...ways.map(({ label }) => label));
		const way = ways.find(({ label }) => label === chosen)?.way;
		if (way !== undefined) {
			await this.chat.go(way, number);
		}
	}

	/** Registers the handlers of the server's notifications, for every connection of the client. */
	private listen(client: LanguageClient): void {
		client.onNotification('redline/event', (event: Event) => {
			if (event.kind === 'view' && event.view === 'plan' && event.uri) {
				this.called.add(event.uri);
			} else if (event.kind === 'diff_mode') {
				void offerDiffMode(event.mode);
			}
			this.board.apply(event);
			this.transcript.apply(event);
		});
		client.onRequest('window/showMessageRequest', async ({ type, message, actions = [] }: ShowMessageRequestParams) => {
			const chosen = await say(type, message, ...actions.map((action) => action.title));
			return actions.find((action) => action.title === chosen) ?? null;
		});
		client.onNotification('window/showMessage', ({ type, message }: ShowMessageParams) => {
			if (type === kind.error && this.chat.refuses(message)) {
				return;
			}
			if (this.running.isKnown(message)) {
				this.log.info(message); // its files are being saved
				return;
			}
			if (type === kind.warning && tellsOfPlan(message) && this.chat.visible) {
				this.log.warn(message); // the plan's card has it
			} else if (type === kind.error || type === kind.warning) {
				void this.inform(type, message);
			} else if (this.quiet.isKnown(message)) {
				void vscode.window.setStatusBarMessage(sentence(message), 5000);
			} else if (tellsOfPlan(message) && newPlan() !== 'nothing') {
				this.log.info(message); // the user is looking at the plan
			} else if (!this.chat.visible) {
				void this.inform(kind.info, message);
			} else if (isNews(message, this.transcript.all())) {
				this.transcript.said(sentence(message));
			}
		});
	}
}

const newPlan = (): string => vscode.workspace.getConfiguration('redline').get<string>('newPlan', 'review');
