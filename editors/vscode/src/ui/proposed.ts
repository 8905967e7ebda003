import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Board } from '../core/board';
import { ProposedTexts } from '../core/proposed';
import type { FileChange, Plan } from '../protocol';
import type { Requests } from '../requests';
import type { Server } from '../server';

const method = 'workspace/textDocumentContent';

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
	private readonly uris = new Map<string, vscode.Uri>();
	private readonly texts: ProposedTexts;
	private readonly parts: vscode.Disposable[];

	constructor(board: Board, private readonly server: Server, requests: Requests) {
		this.texts = new ProposedTexts(board, {
			fetch: (plan, path) => this.fetch(plan, path),
			edit: requests.edit,
			isDirty: (name) => vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === name),
			changed: (name) => {
				const uri = this.uris.get(name);
				if (uri) {
					this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
				}
			},
			now: Date.now,
		});
		this.parts = [
			vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true }),
			vscode.workspace.onDidSaveTextDocument(() => this.texts.settle()),
			vscode.window.tabGroups.onDidChangeTabs(() => this.texts.settle()), // a tab changes when its text is reverted
			vscode.workspace.onDidCloseTextDocument(({ uri }) => {
				this.texts.forget(uri.toString());
				this.uris.delete(uri.toString());
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
		const refused = await this.texts.write(uri.toString(), plan, path, revision, Buffer.from(content).toString());
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
