import * as vscode from 'vscode';
import type { Context } from '../context';
import { step } from '../core/walk';
import { shownBy } from '../ui/proposed';
import type { Commands } from './commands';

/** Going from change to change. */
export function moving(context: Context): Commands {
	const move = async (forward: boolean) => {
		const all = context.places.all();
		const editor = vscode.window.activeTextEditor;
		const place = step(all, editor && where(context, editor), forward);
		if (!place) {
			void vscode.window.setStatusBarMessage('Redline: no change waits.', 5000);
			return;
		}
		const uri = vscode.Uri.parse(place.uri);
		const plan = context.board.plan(place.plan);
		const file = plan?.files.find((f) => vscode.Uri.parse(f.uri).toString() === place.uri);
		if (editor && shownBy(editor.document.uri) && plan && file) { // from comparison to comparison
			await context.diffs.file(plan, file, place.line);
		} else {
			const at = new vscode.Range(place.line, 0, place.line, 0);
			const shown = await vscode.window.showTextDocument(uri, { selection: at });
			shown.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
		}
		const number = all.findIndex((p) => p.uri === place.uri && p.line === place.line && p.hunk === place.hunk) + 1;
		void vscode.window.setStatusBarMessage(`Redline: change ${number} of ${all.length}`, 5000);
	};
	return { next: () => move(true), previous: () => move(false) };
}

/** Where the user is, in the text of now. */
function where(context: Context, editor: vscode.TextEditor): { uri: string; line: number } {
	const line = editor.selection.active.line;
	const shown = shownBy(editor.document.uri);
	const file = shown && context.board.plan(shown.plan)?.files.find((f) => f.path === shown.path);
	if (!file) {
		return { uri: editor.document.uri.toString(), line };
	}
	let live = line;
	for (const hunk of file.hunks) {
		if (hunk.status === 'pending' && hunk.range.start.line < live) {
			live -= Math.min(hunk.added, live - hunk.range.start.line) - hunk.removed;
		}
	}
	return { uri: vscode.Uri.parse(file.uri).toString(), line: Math.max(live, 0) };
}
