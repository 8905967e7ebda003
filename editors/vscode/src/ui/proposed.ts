import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Server } from '../server';

const method = 'workspace/textDocumentContent';

/** The scheme of proposed texts. Their path is the file's own, or an editor of several files would show each as moved. */
export const scheme = 'redline-proposed';

/** The text of a file as a plan leaves it. */
export const proposedUri = (plan: number, path: string, file: vscode.Uri): vscode.Uri =>
	vscode.Uri.from({ scheme, path: file.path, query: new URLSearchParams({ plan: String(plan), path }).toString() });

/** Which file of which plan a document shows as proposed, undefined if it is no such document. */
export function shownBy(uri: vscode.Uri): { plan: number; path: string } | undefined {
	if (uri.scheme !== scheme) {
		return undefined;
	}
	const query = new URLSearchParams(uri.query);
	return { plan: Number(query.get('plan')), path: query.get('path') ?? '' };
}

/** The server's own name of a proposed text. */
const asked = (uri: vscode.Uri): string => {
	const shown = shownBy(uri);
	return vscode.Uri.from({ scheme: 'redline', path: `/plan/${shown?.plan ?? 0}/proposed/${shown?.path ?? ''}` }).toString();
};

/** Gets proposed texts from the server, and again when it says that they have changed. */
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
	 * Follows what a server says of its documents, once the client library has registered for that: the library has the
	 * one handler of the server's request, and tells by the providers of its own documents. Texts that are shown already
	 * are asked for again.
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
			return undefined; // it is asked for again with the next connection
		}
		return (await client.sendRequest<{ text: string }>(method, { uri: name }, token)).text;
	}
}
