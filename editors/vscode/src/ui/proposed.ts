import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { FileChange } from '../protocol';
import type { Server } from '../server';

const method = 'workspace/textDocumentContent';

/** The scheme of proposed texts. Their path is that of the file, or else a multi-file diff would show each file as moved. */
export const scheme = 'redline-proposed';

/**
 * Returns the URI of the proposed text of a file. The plan is its authority: language servers of others, such as that of
 * TypeScript, tell documents apart by authority and path, and would take the texts of two plans for one file.
 */
export function proposedUri(plan: number, file: FileChange): vscode.Uri {
	const { path } = vscode.Uri.parse(file.uri);
	const moved = file.newPath !== undefined && path.endsWith(`/${file.path}`) ? path.slice(0, -file.path.length) + file.newPath : path;
	return vscode.Uri.from({ scheme, authority: `plan-${plan}`, path: moved, query: new URLSearchParams({ path: file.path }).toString() });
}

/** Returns the plan and the file of a proposed text, or undefined for another document. */
export function shownBy(uri: vscode.Uri): { plan: number; path: string } | undefined {
	const plan = uri.scheme === scheme ? /^plan-(\d+)$/.exec(uri.authority)?.[1] : undefined;
	return plan === undefined ? undefined : { plan: Number(plan), path: new URLSearchParams(uri.query).get('path') ?? '' };
}

/** Returns the server's URI of a proposed text. */
const asked = (uri: vscode.Uri): string => {
	const shown = shownBy(uri);
	return vscode.Uri.from({ scheme: 'redline', path: `/plan/${shown?.plan ?? 0}/proposed/${shown?.path ?? ''}` }).toString();
};

/** Fetches proposed texts from the server, and again when they change. */
export class Proposed implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<vscode.Uri>();
	readonly onDidChange = this.changes.event;
	private readonly given = new Map<string, vscode.Uri>();
	private readonly registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
	private readonly closed = vscode.workspace.onDidCloseTextDocument((document) => {
		if (document.uri.scheme === scheme) {
			this.given.delete(asked(document.uri));
		}
	});

	constructor(private readonly server: Server) {}

	dispose(): void {
		vscode.Disposable.from(this.registered, this.closed, this.changes).dispose();
	}

	/**
	 * Follows the changes that a server reports, once the client library is initialized: the library owns the only handler
	 * of that request, and reports through its own providers. Fetches texts that are already shown again.
	 */
	follow(client: LanguageClient): void {
		for (const provider of client.getFeature(method)?.getProviders() ?? []) {
			provider.onDidChangeEmitter.event((uri) => {
				const mine = this.given.get(uri.toString());
				if (mine) {
					this.changes.fire(mine);
				}
			});
		}
		for (const uri of this.given.values()) {
			this.changes.fire(uri);
		}
	}

	async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string | undefined> {
		const name = asked(uri);
		this.given.set(name, uri);
		const client = this.server.running();
		if (!client) {
			return undefined; // follow fetches it with the next connection
		}
		return (await client.sendRequest<{ text: string }>(method, { uri: name }, token)).text;
	}
}
