import * as vscode from 'vscode';

const tries = 15, between = 200; // milliseconds

/**
 * Folds the sections of a trace's page. The editor does not report when it knows the sections, so this retries until
 * something is folded, or another editor is active.
 */
export async function foldSections(uri: string): Promise<void> {
	const page = vscode.Uri.parse(uri).toString();
	for (let i = 0; i < tries; i++) {
		const editor = vscode.window.activeTextEditor;
		if (editor?.document.uri.toString() !== page) {
			return;
		}
		await vscode.commands.executeCommand('editor.foldLevel2');
		await new Promise((resolve) => setTimeout(resolve, between));
		if (editor.visibleRanges.length > 1) {
			return;
		}
	}
}
