import * as vscode from 'vscode';
import type { Board } from '../core/board';
import type { Verdict } from '../core/lenses';
import { hunkWaits } from '../core/plans';
import { afterDecided, type Place } from '../core/walk';
import type { Scope } from '../protocol';
import type { Outcome, Requests } from '../requests';
import type { Diffs } from './diff';
import { front, type Front } from './front';
import { showAt, type Marked, type Places } from './places';
import { proposedUri, shownBy } from './proposed';

/** How long to wait for the result of a decision, in milliseconds. By then the user has moved on. */
const patience = 3000;

/** Decides in a comparison, and moves on to the next change. */
export class Comparing {
	constructor(private readonly board: Board, private readonly places: Places, private readonly diffs: Diffs, private readonly requests: Requests) {}

	/**
	 * Decides on a change or a file. If a comparison of its plan is in front, shows the next waiting change there, in the
	 * same tab if possible; otherwise the cursor moves to it in the files. byKey: the cursor is at the change.
	 */
	async decide(verdict: Verdict, scope: Scope, byKey: boolean): Promise<Outcome<unknown>> {
		const was = front(this.board), { path } = scope;
		const editor = byKey && !was ? vscode.window.activeTextEditor : undefined, at = editor?.selection.active;
		const redrawn = path !== undefined && verdict === 'reject' && was?.plan === scope.plan ? this.redrawn(scope.plan, path) : undefined;
		const before = this.places.all();
		const outcome: Outcome<unknown> = await this.requests[verdict](scope);
		if ('result' in outcome && was?.plan === scope.plan && path !== undefined) {
			await this.decided(scope, path);
			await redrawn;
			await this.goOn(was, scope, path, byKey);
		} else if ('result' in outcome && path !== undefined && editor && at) {
			await this.decided(scope, path);
			await this.until(this.places.changed, () => !this.places.all().some((p) => p.plan === scope.plan && p.hunk === scope.hunk));
			await this.moved(before, verdict, scope, path);
			await this.goOnIn(editor, at, scope, path);
		}
		return outcome;
	}

	/** Shows a change in a comparison. From a whole plan, another file opens as a comparison of its own. */
	async go(from: Front, to: Place, focus: boolean): Promise<void> {
		const plan = this.board.plan(to.plan), file = plan?.files.find((f) => f.path === to.uri);
		if (!plan || !file) {
			return;
		}
		const active = vscode.window.activeTextEditor, shown = active && shownBy(active.document.uri);
		const here = from.at?.path === to.uri || (!from.whole && shown?.plan === to.plan && shown.path === to.uri);
		if (here && this.select(to)) { // showing it would take the focus from what the user has opened meanwhile
			return;
		}
		if (from.whole && focus && from.tab.isPreview) {
			await vscode.commands.executeCommand('workbench.action.keepEditor'); // or the next editor would replace it
		}
		if (!from.whole || focus) {
			await this.diffs.file(plan, file, to.line);
		}
	}

	private async goOn(was: Front, scope: Scope, path: string, byKey: boolean): Promise<void> {
		const now = front(this.board), next = this.after(scope, path);
		if (next && now && now.plan === was.plan && now.whole === was.whole) { // else the user has moved on
			await this.go(now, next, byKey);
		}
	}

	/** Moves the cursor from a decided change of a file to the next one of its plan, unless the user has moved it. */
	private async goOnIn(was: vscode.TextEditor, at: vscode.Position, scope: Scope, path: string): Promise<void> {
		const next = this.after(scope, path);
		if (!next || vscode.window.activeTextEditor !== was || Math.abs(was.selection.active.line - at.line) > this.sizeOf(scope)) {
			return;
		}
		const place = this.places.all().find((p) => p.plan === next.plan && p.hunk === next.hunk);
		if (place && place.uri === was.document.uri.toString()) {
			was.selection = new vscode.Selection(place.line, 0, place.line, 0); // showing it would take the focus from what the user has opened meanwhile
			was.revealRange(was.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
		} else if (place) {
			await showAt(vscode.Uri.parse(place.uri), place.line);
		}
	}

	/** Waits until the next change is where an applied one above it has moved it: its place comes once before that, too. */
	private async moved(before: readonly Marked[], verdict: Verdict, { plan: number, hunk }: Scope, path: string): Promise<void> {
		const plan = this.board.plan(number), next = plan && afterDecided(plan, path, hunk);
		const applied = plan?.files.flatMap((file) => file.hunks).find(({ id }) => id === hunk);
		const of = (all: readonly Marked[], id: string | undefined) => all.find((p) => p.plan === number && p.hunk === id);
		const decided = of(before, hunk), was = of(before, next?.hunk);
		if (verdict !== 'approve' || !applied || !decided || !was || was.uri !== decided.uri || was.line <= decided.line) {
			return;
		}
		const line = was.line + applied.added - applied.removed;
		await this.until(this.places.changed, () => of(this.places.all(), next?.hunk)?.line === line);
	}

	/** Returns how many lines a decision on a change can move the cursor that is in it. */
	private sizeOf({ plan, hunk }: Scope): number {
		const { added = 0, removed = 0 } = this.board.plan(plan)?.files.flatMap((file) => file.hunks).find(({ id }) => id === hunk) ?? {};
		return added + removed;
	}

	/** Returns the next change after a decided one. If there is none, says so. */
	private after({ plan: number, hunk }: Scope, path: string): Place | undefined {
		const plan = this.board.plan(number), next = plan && afterDecided(plan, path, hunk);
		if (plan && !next) {
			void vscode.window.setStatusBarMessage(`Redline: plan ${plan.plan} has no more changes to decide.`, 5000);
		}
		return next;
	}

	/** Moves the cursor of the active editor, on either side, to a change. Returns false if there is no such editor or change. */
	private select(to: Place): boolean {
		const editor = vscode.window.activeTextEditor, file = this.board.plan(to.plan)?.files.find((f) => f.path === to.uri);
		const hunk = file?.hunks.find((h) => h.id === to.hunk);
		if (!editor || !hunk) {
			return false;
		}
		const line = Math.min(shownBy(editor.document.uri) ? to.line : hunk.range.start.line, editor.document.lineCount - 1);
		editor.selection = new vscode.Selection(line, 0, line, 0);
		editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
		return true;
	}

	/** Waits until the board has the decision. */
	private decided({ plan, hunk }: Scope, path: string): Promise<void> {
		return this.until(this.board.changed, () => !this.board.plan(plan)?.files.some((f) => f.path === path && f.hunks.some((h) => (hunk === undefined || h.id === hunk) && hunkWaits(h))));
	}

	/** Waits until the proposed text of a file changes. It polls, because a listener would also run on each keystroke. */
	private async redrawn(plan: number, path: string): Promise<void> {
		const now = this.board.plan(plan), file = now?.files.find((f) => f.path === path);
		const uri = now && file && proposedUri(this.board, now, file).toString();
		const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri);
		const version = document?.version, end = Date.now() + patience;
		while (document && document.version === version && !document.isClosed && Date.now() < end) {
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}

	/** Waits until a condition holds, which may change when an emitter fires, or the time is up. */
	private until(emitter: { listen(listener: () => void): () => void }, is: () => boolean): Promise<void> {
		return new Promise((resolve) => {
			const look = () => {
				if (is()) {
					done();
				}
			};
			const done = () => {
				clearTimeout(timer);
				stop();
				resolve();
			};
			const timer = setTimeout(done, patience), stop = emitter.listen(look);
			look();
		});
	}
}
