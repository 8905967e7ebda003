import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { shortened, type Verdict } from '../core/lenses';
import { changeName, isDecidable } from '../core/plans';
import { proposed } from '../core/walk';
import type { Plan, Scope } from '../protocol';
import { scheme, shownBy } from './proposed';

/** Shortens the server's lenses of a text. */
export function short(lenses: readonly vscode.CodeLens[], board: Board): vscode.CodeLens[] {
	const asked = lenses.map(({ range, command }) => ({ line: range.start.line, title: command?.title ?? '', command: command?.command ?? '', argument: (command?.arguments as unknown[] | undefined)?.[0], range }));
	const sizeOf = ({ plan, path, hunk }: Scope) => board.plan(plan)?.files.find((file) => file.path === path)?.hunks.find(({ id }) => id === hunk);
	return shortened(asked, sizeOf).map(({ range, title, command, argument }) => {
		const scope = command === 'redline.ui.decide' ? (argument as { scope: Scope }).scope : undefined, plan = scope && board.plan(scope.plan);
		return new vscode.CodeLens(range, { title, command, arguments: [argument], ...(plan && { tooltip: tooltip(title, plan, scope) }) });
	});
}

const tooltip = (title: string, plan: Plan, { path, hunk }: Scope): string => `${title} ${changeName(plan, path, hunk)}`;

/** Provides lenses on the changes in a proposed text, for deciding in a comparison. */
export class ProposedLenses implements vscode.CodeLensProvider, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<void>();
	readonly onDidChangeCodeLenses = this.changes.event;
	private readonly registered: vscode.Disposable;

	constructor(private readonly board: Board) {
		this.registered = vscode.Disposable.from(
			vscode.languages.registerCodeLensProvider({ scheme }, this),
			{ dispose: board.changed.listen(() => this.changes.fire()) },
		);
	}

	dispose(): void {
		vscode.Disposable.from(this.registered, this.changes).dispose();
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		const shown = shownBy(document.uri), plan = shown && this.board.plan(shown.plan);
		const file = plan?.files.find((f) => f.path === shown?.path);
		if (!plan || !file || !isDecidable(plan) || !vscode.workspace.isTrusted) {
			return [];
		}
		return proposed(file.hunks).flatMap(({ hunk, line }) => {
			const at = Math.min(line, document.lineCount - 1), range = new vscode.Range(at, 0, at, 0);
			const scope: Scope = { plan: plan.plan, revision: plan.revision, hash: plan.hash, path: file.path, hunk: hunk.id };
			const lens = (title: string, verdict: Verdict) => new vscode.CodeLens(range, { title, tooltip: tooltip(title, plan, scope), command: 'redline.ui.decide', arguments: [{ verdict, scope }] });
			return [lens('Approve', 'approve'), lens('Reject', 'reject')];
		});
	}
}
