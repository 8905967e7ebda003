import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Board } from '../core/board';
import { Drafts, type Draft } from '../core/drafts';
import { ProposedTexts } from '../core/proposed';
import type { FileChange, Plan } from '../protocol';
import type { Requests } from '../requests';
import type { Server } from '../server';
import { kind, say } from './say';

const method = 'workspace/textDocumentContent';
const draftsKey = 'redline.drafts';

/** The scheme of proposed texts. Their path is that of the file, or else a multi-file diff would show each file as moved. */
export const scheme = 'redline-proposed';

/**
 * Returns the URI of the proposed text of a file. The plan and its revision are its authority: language servers of others,
 * such as that of TypeScript, tell documents apart by authority and path, and would take the texts of two plans for one file.
 */
export function proposedUri(board: Board, plan: Plan, file: FileChange): vscode.Uri {
	const { path } = vscode.Uri.parse(file.uri);
	const moved = file.newPath !== undefined && path.endsWith(`/${file.path}`) ? path.slice(0, -file.path.length) + file.newPath : path;
	return vscode.Uri.from({ scheme, authority: `plan-${plan.plan}-r${board.shownAs(plan)}`, path: moved, query: new URLSearchParams({ path: file.path }).toString() });
}

/** A proposed text: the file of a plan, and the revision in its URI. */
export interface Shown {
	plan: number;
	path: string;
	revision: number;
}

/** Returns the plan and the file of a proposed text, or undefined for another document. */
export function shownBy(uri: vscode.Uri): Shown | undefined {
	const [, plan, revision] = (uri.scheme === scheme && /^plan-(\d+)-r(\d+)$/.exec(uri.authority)) || [];
	return plan === undefined ? undefined : { plan: Number(plan), revision: Number(revision), path: new URLSearchParams(uri.query).get('path') ?? '' };
}

/** Returns the proposed texts of a plan that the user has changed and not saved. */
export const unsavedOf = (plan: number): vscode.TextDocument[] =>
	vscode.workspace.textDocuments.filter((document) => document.isDirty && shownBy(document.uri)?.plan === plan);

/** Returns the server's URI of a proposed text. */
const asked = (plan: number, path: string): string => vscode.Uri.from({ scheme: 'redline', path: `/plan/${plan}/proposed/${path}` }).toString();

/** Shows proposed texts as files. The user can edit them: saving one makes a revision of its plan. */
export class Proposed implements vscode.FileSystemProvider, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	readonly onDidChangeFile = this.changes.event;
	readonly drafts: Drafts;
	private readonly uris = new Map<string, vscode.Uri>();
	private readonly texts: ProposedTexts;
	private client: LanguageClient | undefined;
	/** The plans whose proposed texts the user edits. */
	private edited = '';
	/** The documents that the editor is saving by itself. */
	private readonly byItself = new Set<string>();
	private readonly parts: vscode.Disposable[];

	constructor(board: Board, private readonly server: Server, requests: Requests, memento: vscode.Memento) {
		this.drafts = new Drafts(memento.get(draftsKey), (drafts) => void memento.update(draftsKey, drafts));
		this.texts = new ProposedTexts(board, this.drafts, {
			fetch: (plan, path) => this.fetch(plan, path),
			edit: requests.edit,
			isDirty: (name) => vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === name),
			changed: (name) => {
				const uri = this.uris.get(name);
				if (uri) {
					this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
				}
			},
			gaveUp: (draft, why) => void showGivenUp(draft, why),
			now: Date.now,
		});
		this.parts = [
			vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true }),
			vscode.workspace.onWillSaveTextDocument((event) => this.saving(event)),
			vscode.workspace.onDidSaveTextDocument(() => this.settle()),
			vscode.window.tabGroups.onDidChangeTabs(() => this.settle()), // a tab changes when its text is edited or reverted
			{ dispose: this.drafts.changed.listen(() => this.look()) },
			vscode.workspace.onDidCloseTextDocument(({ uri }) => {
				this.uris.delete(uri.toString());
				void this.texts.close(uri.toString());
			}),
			this.changes,
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.parts).dispose();
	}

	/**
	 * Follows the changes that a server reports, once the client library is initialized: the library owns the only handler
	 * of that request, and reports through its own providers. Fetches texts that are already shown again.
	 */
	follow(client: LanguageClient): void {
		this.client = client;
		for (const provider of client.getFeature(method)?.getProviders() ?? []) {
			provider.onDidChangeEmitter.event((changed) => {
				for (const [name, uri] of this.uris) {
					const shown = shownBy(uri);
					if (shown && asked(shown.plan, shown.path) === changed.toString()) {
						this.texts.outdate(name);
					}
				}
			});
		}
		this.texts.again();
	}

	/** Reports whether the user works in a proposed text: it is not saved, or a draft. */
	isEdited(uri: vscode.Uri): boolean {
		const name = uri.toString();
		return this.drafts.get(name) !== undefined || vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === name);
	}

	/** Reports whether the user works in a proposed text of a plan. */
	isEditedIn(plan: number): boolean {
		return this.drafts.of(plan).length > 0 || unsavedOf(plan).length > 0;
	}

	/** Saves the proposed texts of a plan that the user works in, and makes the drafts revisions of it. */
	async save(plan: number): Promise<void> {
		for (const document of unsavedOf(plan)) {
			await document.save();
		}
		await this.take(plan);
	}

	/**
	 * Makes the drafts of a plan revisions of it, those of all plans for 0. Shows why some were refused, and returns the reasons;
	 * undefined if there were no drafts.
	 */
	async take(plan: number): Promise<string[] | undefined> {
		if (this.drafts.of(plan).length === 0) {
			return undefined;
		}
		const refused = await this.texts.take(plan), save = 'Save the Draft';
		for (const why of refused) {
			void say(kind.warning, `Redline: ${why}`, save).then((chosen) => (chosen === save ? this.saveDrafts(plan) : undefined));
		}
		return refused;
	}

	/** Shows the drafts of a plan and saves them, as a user does: the editor asks which text to keep where there is a newer one. */
	private async saveDrafts(plan: number): Promise<void> {
		for (const name of this.drafts.of(plan)) {
			const uri = this.uris.get(name) ?? vscode.Uri.parse(name);
			const compared = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === name);
			if (compared?.input instanceof vscode.TabInputTextDiff) {
				await vscode.commands.executeCommand('vscode.diff', compared.input.original, uri, compared.label, { preview: false });
			} else {
				await vscode.window.showTextDocument(uri, { preview: false });
			}
			if (vscode.window.activeTextEditor?.document.uri.toString() !== name) {
				return; // the command saves what is in front, and the user has gone elsewhere
			}
			await vscode.commands.executeCommand('workbench.action.files.save');
		}
	}

	async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
		const { text, mtime, writable } = await this.read(uri);
		return {
			type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text),
			...(!(writable && vscode.workspace.isTrusted) && { permissions: vscode.FilePermission.Readonly }),
		};
	}

	async readFile(uri: vscode.Uri): Promise<Uint8Array> {
		return Buffer.from((await this.read(uri)).text);
	}

	async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
		const { plan, path, revision } = this.shown(uri);
		const name = uri.toString(), byItself = this.byItself.delete(name);
		const refused = await this.texts.write(name, plan, path, revision, Buffer.from(content).toString(), byItself);
		if (refused !== undefined) {
			throw new Error(refused);
		}
		this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
	}

	watch(): vscode.Disposable {
		return { dispose: () => undefined };
	}

	readDirectory(): [string, vscode.FileType][] {
		return [];
	}

	createDirectory(uri: vscode.Uri): never {
		throw vscode.FileSystemError.NoPermissions(uri);
	}

	delete(uri: vscode.Uri): never {
		throw vscode.FileSystemError.NoPermissions(uri);
	}

	rename(uri: vscode.Uri): never {
		throw vscode.FileSystemError.NoPermissions(uri);
	}

	/** Takes note of why a document is saved. */
	private saving(event: vscode.TextDocumentWillSaveEvent): void {
		const { uri } = event.document, name = uri.toString();
		this.byItself.delete(name);
		if (uri.scheme === scheme && event.reason !== vscode.TextDocumentSaveReason.Manual) {
			this.byItself.add(name);
		} else if (uri.scheme === scheme) {
			event.waitUntil(this.texts.saving(name));
		}
	}

	private settle(): void {
		this.texts.settle();
		this.look();
	}

	/** Has the lenses on live texts made again when the user begins or ends an edit of what a plan proposes. */
	private look(): void {
		const dirty = vscode.workspace.textDocuments.flatMap((document) => (document.isDirty ? shownBy(document.uri)?.plan ?? [] : []));
		const edited = [...new Set([...dirty, ...this.drafts.of(0).map((name) => this.drafts.get(name)?.plan)])].join();
		if (this.edited !== edited) {
			this.edited = edited;
			for (const { document } of vscode.window.visibleTextEditors) {
				this.client?.getFeature('textDocument/codeLens').getProvider(document)?.onDidChangeCodeLensEmitter.fire();
			}
		}
	}

	private shown(uri: vscode.Uri): Shown {
		const shown = shownBy(uri);
		if (!shown) {
			throw vscode.FileSystemError.FileNotFound(uri);
		}
		return shown;
	}

	private read(uri: vscode.Uri): ReturnType<ProposedTexts['read']> {
		const { plan, path } = this.shown(uri);
		this.uris.set(uri.toString(), uri);
		return this.texts.read(uri.toString(), plan, path);
	}

	private async fetch(plan: number, path: string): Promise<string> {
		const client = await this.server.ready();
		if (!client) {
			throw vscode.FileSystemError.Unavailable('Redline is not running.');
		}
		return (await client.sendRequest<{ text: string }>(method, { uri: asked(plan, path) })).text;
	}
}

/** Shows a draft that could not become part of its plan, so that the user can copy it. */
async function showGivenUp({ plan, path, text }: Draft, why: string): Promise<void> {
	const show = 'Show My Text';
	if ((await say(kind.warning, `Redline: your draft of ${path} is not in plan ${plan}. ${why}`, show)) === show) {
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text }));
	}
}
