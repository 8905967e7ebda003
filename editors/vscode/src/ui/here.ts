import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { at, inProposed } from '../core/walk';
import type { Scope } from '../protocol';
import { shownBy } from './proposed';
import type { Places } from './places';

/** What there is to decide where the cursor is. */
export class Here implements vscode.Disposable {
	private readonly subscriptions: vscode.Disposable[];
	private told: boolean | undefined;

	constructor(private readonly board: Board, private readonly places: Places) {
		this.subscriptions = [
			vscode.window.onDidChangeActiveTextEditor(() => this.tell()),
			{ dispose: places.changed.listen(() => this.tell()) },
		];
		this.tell();
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/** The scope of the hunk at the cursor, undefined if there is none. */
	hunk(): Scope | undefined {
		const editor = vscode.window.activeTextEditor;
		if (!editor) {
			return undefined;
		}
		const line = editor.selection.active.line;
		const shown = shownBy(editor.document.uri);
		if (shown) {
			const file = this.board.plan(shown.plan)?.files.find((f) => f.path === shown.path);
			const hunk = file && inProposed(file.hunks, line);
			return hunk && this.scope(shown.plan, shown.path, hunk.id);
		}
		const uri = editor.document.uri.toString();
		const place = at(this.places.in(editor.document.uri), uri, line);
		return place && this.scope(place.plan, this.pathOf(place.plan, uri), place.hunk);
	}

	/** The scope of the file in the active editor, undefined if no plan is about it. */
	file(): Scope | undefined {
		const uri = vscode.window.activeTextEditor?.document.uri;
		if (!uri) {
			return undefined;
		}
		const shown = shownBy(uri);
		const plan = shown?.plan ?? this.places.in(uri)[0]?.plan;
		const path = shown?.path ?? (plan === undefined ? undefined : this.pathOf(plan, uri.toString()));
		return plan === undefined || path === undefined ? undefined : this.scope(plan, path);
	}

	private scope(number: number, path?: string, hunk?: string): Scope | undefined {
		const plan = this.board.plan(number);
		return plan && { plan: number, revision: plan.revision, hash: plan.hash, ...(path !== undefined && { path }), ...(hunk !== undefined && { hunk }) };
	}

	private pathOf(plan: number, uri: string): string | undefined {
		return this.board.plan(plan)?.files.find((f) => vscode.Uri.parse(f.uri).toString() === uri)?.path;
	}

	/** Tells key bindings whether the active document has something to decide. */
	private tell(): void {
		const uri = vscode.window.activeTextEditor?.document.uri;
		const here = uri !== undefined && (shownBy(uri) !== undefined || this.places.in(uri).length > 0);
		if (here !== this.told) {
			this.told = here;
			void vscode.commands.executeCommand('setContext', 'redline.here', here);
		}
	}
}
