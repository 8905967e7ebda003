import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { toProposed } from '../core/walk';
import { reviewedBy } from './diff';
import { shownBy } from './proposed';

/** The comparison in front. */
export interface Front {
	plan: number;
	/** Whether it compares the whole plan, not one file. */
	whole: boolean;
	/** The file of the cursor and its line in the proposed text, undefined if the cursor is in no file. */
	at?: { path: string; line: number };
	tab: vscode.Tab;
}

/** Returns the comparison of a plan or a file that is in front, or undefined. */
export function front(board: Board): Front | undefined {
	const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
	if (!tab) {
		return undefined;
	}
	const one = tab.input instanceof vscode.TabInputTextDiff ? shownBy(tab.input.modified) : undefined;
	const plan = one?.plan ?? reviewedBy(tab);
	if (plan === undefined) {
		return undefined;
	}
	const editor = vscode.window.activeTextEditor;
	const at = editor && editor.viewColumn === undefined ? positionIn(board, plan, editor) : undefined;
	return { plan, whole: one === undefined, tab, ...(at && { at }) };
}

/** Returns the place of an editor in the proposed texts of a plan, on either side of a comparison. */
function positionIn(board: Board, plan: number, { document, selection }: vscode.TextEditor): { path: string; line: number } | undefined {
	const { line } = selection.active, shown = shownBy(document.uri);
	if (shown) {
		return shown.plan === plan ? { path: shown.path, line } : undefined;
	}
	const uri = document.uri.toString();
	const file = board.plan(plan)?.files.find((f) => vscode.Uri.parse(f.uri).toString() === uri);
	return file && { path: file.path, line: toProposed(file.hunks, line) };
}
