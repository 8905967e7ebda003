import * as vscode from 'vscode';
import type { Context } from '../context';
import { proposedPlaces, step } from '../core/walk';
import { front } from '../ui/front';
import { showAt } from '../ui/places';
import type { Scope } from '../protocol';
import type { Commands } from './commands';

/** Returns the commands that go from change to change: within a comparison if one is in front, else through the files. */
export function moving(context: Context): Commands {
	/** Moves from the cursor, or from the change of a code lens. */
	const move = async (forward: boolean, change?: Scope) => {
		const compared = front(context.board);
		const plan = compared && context.board.plan(compared.plan);
		const proposed = plan && proposedPlaces(plan);
		const lens = proposed?.find((p) => p.uri === change?.path && p.hunk === change.hunk);
		const next = proposed && step(proposed, lens ?? (compared.at && { uri: compared.at.path, line: compared.at.line }), forward);
		if (next) {
			await context.comparing.go(compared, next, true);
			tell(proposed.indexOf(next) + 1, proposed.length);
			return;
		}
		const all = context.places.all();
		const editor = vscode.window.activeTextEditor;
		const place = step(all, all.find((p) => p.plan === change?.plan && p.hunk === change.hunk) ?? (editor && { uri: editor.document.uri.toString(), line: editor.selection.active.line }), forward);
		if (!place) {
			void vscode.window.setStatusBarMessage('Redline: no changes wait for you.', 5000);
			return;
		}
		await showAt(vscode.Uri.parse(place.uri), place.line);
		tell(all.findIndex((p) => p.uri === place.uri && p.line === place.line && p.hunk === place.hunk) + 1, all.length);
	};
	return { next: (change?: Scope) => move(true, change), previous: (change?: Scope) => move(false, change) };
}

const tell = (number: number, all: number): vscode.Disposable => vscode.window.setStatusBarMessage(`Redline: change ${number} of ${all}`, 5000);
