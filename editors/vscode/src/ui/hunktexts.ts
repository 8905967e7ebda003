import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { Emitter } from '../core/emitter';
import { drawing, type Drawing } from '../core/inline';
import type { DocumentHunk } from '../protocol';
import type { Requests } from '../requests';
import type { Marked, Places } from './places';

/** An undecided change with its texts, and how to draw it. */
export interface HunkText extends DocumentHunk {
	drawing: Drawing;
}

/** The changes of a document that were requested, and the answer. */
interface Known {
	asked: string;
	hunks: Map<string, HunkText>;
}

/**
 * Fetches the texts of the changes in visible documents, once for each revision: while the user types, only the places
 * move.
 */
export class HunkTexts implements vscode.Disposable {
	readonly changed = new Emitter<vscode.Uri>();
	private readonly byUri = new Map<string, Known>();
	private readonly subscriptions: vscode.Disposable[];

	constructor(private readonly places: Places, private readonly board: Board, private readonly requests: Requests) {
		this.subscriptions = [
			{ dispose: places.changed.listen((uri) => void this.look(uri)) },
			{ dispose: board.changed.listen(() => this.lookAll()) }, // another revision can have the same ids with other texts
			vscode.window.onDidChangeVisibleTextEditors(() => this.lookAll()),
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/** Returns the text of a change, or undefined if it has not arrived. */
	of(place: Marked): HunkText | undefined {
		return this.byUri.get(place.uri)?.hunks.get(this.name(place));
	}

	private name = ({ plan, hunk, stale }: { plan: number; hunk: string; stale: boolean }): string =>
		`${plan}.${this.board.plan(plan)?.revision ?? 0}.${hunk}${stale ? ' stale' : ''}`;

	private lookAll(): void {
		const shown = new Map(vscode.window.visibleTextEditors.map((editor) => [editor.document.uri.toString(), editor.document.uri]));
		for (const uri of shown.values()) {
			void this.look(uri);
		}
		for (const known of this.byUri.keys()) {
			if (!shown.has(known)) {
				this.byUri.delete(known);
			}
		}
	}

	/** Fetches the changes of a document if they are not those that were fetched last. */
	private async look(uri: vscode.Uri): Promise<void> {
		const name = uri.toString();
		const places = this.places.in(uri);
		const asked = places.map(this.name).join();
		if (this.byUri.get(name)?.asked === asked || !vscode.window.visibleTextEditors.some((editor) => editor.document.uri.toString() === name)) {
			return;
		}
		const known: Known = { asked, hunks: this.byUri.get(name)?.hunks ?? new Map<string, HunkText>() };
		this.byUri.set(name, known);
		const told = places.length > 0 ? await this.requests.hunks(name) : [];
		if (this.byUri.get(name) !== known) {
			return; // it was fetched again meanwhile
		}
		known.hunks = new Map(told.map((hunk) => [
			`${hunk.plan}.${hunk.revision}.${hunk.hunk}${hunk.status === 'stale' ? ' stale' : ''}`,
			{ ...hunk, drawing: drawing(hunk.oldText, hunk.newText, hunk.rows) },
		]));
		this.changed.fire(uri);
	}
}
