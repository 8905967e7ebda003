import * as vscode from 'vscode';
import type { Comparison } from '../protocol';
import type { Server } from '../server';

/** The scheme of texts of revisions. Their path is that of the file, so that the editor knows the language. */
const scheme = 'redline-revision';

const uriOf = (asked: string, path: string): vscode.Uri => vscode.Uri.from({ scheme, path: `/${path}`, query: new URLSearchParams({ asked }).toString() });

/** Compares two revisions of a plan in the editor's own diff editors. Their texts never change. */
export class Revisions implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

	constructor(private readonly server: Server) {}

	dispose(): void {
		this.registered.dispose();
	}

	async open({ plan, from, to, files }: Comparison): Promise<void> {
		const title = `plan ${plan}: revision ${from} ↔ ${to}`;
		const list = files.map((file) => [uriOf(file.to, file.path), uriOf(file.from, file.path), uriOf(file.to, file.path)] as const);
		const [only] = list;
		if (only && list.length === 1) {
			await vscode.commands.executeCommand('vscode.diff', only[1], only[2], `${files[0]?.path.split('/').at(-1) ?? ''} (${title})`);
		} else {
			await vscode.commands.executeCommand('vscode.changes', title.charAt(0).toUpperCase() + title.slice(1), list);
		}
	}

	async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
		const client = this.server.running();
		if (!client) {
			throw new Error('Redline is not running.');
		}
		const asked = new URLSearchParams(uri.query).get('asked') ?? '';
		return (await client.sendRequest<{ text: string }>('workspace/textDocumentContent', { uri: asked }, token)).text;
	}
}
