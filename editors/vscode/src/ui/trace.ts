import * as vscode from 'vscode';

const tries = 15, between = 200; // milliseconds

/**
 * Folds the sections of the page of a trace, whose headings tell the way of the turn. The editor knows its sections only
 * when the extension that finds them has been asked, and tells nobody when: it is tried until something is folded, or
 * the user has gone elsewhere.
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
