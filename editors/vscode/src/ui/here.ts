import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { Emitter } from '../core/emitter';
import { fileWaits, isDecidable } from '../core/plans';
import { at, inProposed } from '../core/walk';
import type { Plan, Scope } from '../protocol';
import { reviewedBy } from './diff';
import { type Proposed, shownBy } from './proposed';
import type { Places } from './places';

/** Finds what can be decided at the cursor. */
export class Here implements vscode.Disposable {
	/** Fires when a change waits in the active editor, and when none does any more. */
	readonly changed = new Emitter<boolean>();
	private readonly subscriptions: vscode.Disposable[];
	private readonly told = new Map<string, boolean>();

	constructor(private readonly board: Board, private readonly places: Places, private readonly proposed: Proposed) {
		this.subscriptions = [
			vscode.window.onDidChangeActiveTextEditor(() => this.tell()),
			vscode.window.tabGroups.onDidChangeTabs(() => this.tell()),
			vscode.window.tabGroups.onDidChangeTabGroups(() => this.tell()),
			{ dispose: places.changed.listen(() => this.tell()) },
			{ dispose: board.changed.listen(() => this.tell()) },
		];
		this.tell();
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/** Returns the scope of the hunk at the cursor, or undefined. */
	hunk(): Scope | undefined {
		const editor = vscode.window.activeTextEditor;
		if (!editor) {
			return undefined;
		}
		const line = editor.selection.active.line;
		const shown = shownBy(editor.document.uri);
		if (shown && this.proposed.isEdited(editor.document.uri)) {
			return undefined; // its lines are no longer those of the plan
		}
		if (shown) {
			const file = this.board.plan(shown.plan)?.files.find((f) => f.path === shown.path);
			const hunk = file && inProposed(file.hunks, line);
			return hunk && this.scope(shown.plan, shown.path, hunk.id);
		}
		const uri = editor.document.uri.toString();
		const place = at(this.places.in(editor.document.uri), uri, line);
		return place && this.scope(place.plan, this.pathOf(place.plan, uri), place.hunk);
	}

	/** Returns the scope of the file in the active editor, or undefined if no plan changes it. */
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

	/** Returns the plan that is compared as a whole in front, or undefined. */
	reviewed(): Plan | undefined {
		const number = reviewedBy(vscode.window.tabGroups.activeTabGroup.activeTab);
		return number === undefined ? undefined : this.board.plan(number);
	}

	/** Sets the context keys about what can be decided in front. */
	private tell(): void {
		const uri = vscode.window.activeTextEditor?.document.uri;
		const waits = uri !== undefined && this.waitsIn(uri);
		if (this.told.get('redline.here') !== waits) {
			this.changed.fire(waits);
		}
		this.key('redline.here', waits);
		const plan = this.reviewed();
		const reviewed = plan !== undefined && isDecidable(plan);
		this.key('redline.reviewed', reviewed);
		if (waits || reviewed) {
			this.key('redline.looked', true); // the walkthrough ticks it
		}
	}

	/** Reports whether something waits for the user in a live or proposed text. */
	private waitsIn(uri: vscode.Uri): boolean {
		const shown = shownBy(uri);
		if (!shown) {
			return this.places.in(uri).length > 0;
		}
		const plan = this.board.plan(shown.plan);
		return plan !== undefined && isDecidable(plan) && plan.files.some((file) => file.path === shown.path && fileWaits(file));
	}

	private key(name: string, value: boolean): void {
		if (this.told.get(name) !== value) {
			this.told.set(name, value);
			void vscode.commands.executeCommand('setContext', name, value);
		}
	}
}
