import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { help, rows, sizeOf, type Verdict } from '../core/lenses';
import type { Drafts } from '../core/drafts';
import { changeName, isDecidable } from '../core/plans';
import { proposed } from '../core/walk';
import type { Scope } from '../protocol';
import { scheme, shownBy } from './proposed';

/** Makes the rows above changes of the server's lenses of a text. isEdited reports whether the user edits what a plan proposes. */
export function short(lenses: readonly vscode.CodeLens[], board: Board, isEdited: (plan: number) => boolean): vscode.CodeLens[] {
	const asked = lenses.map(({ range, command }) => ({ line: range.start.line, title: command?.title ?? '', command: command?.command ?? '', argument: (command?.arguments as unknown[] | undefined)?.[0], range }));
	const named = (scope: Scope) => {
		const plan = board.plan(scope.plan), hunk = plan?.files.find((file) => file.path === scope.path)?.hunks.find(({ id }) => id === scope.hunk);
		return plan && hunk && { number: changeName(plan, scope.path, scope.hunk).replace('change ', ''), added: hunk.added, removed: hunk.removed };
	};
	const edited = ({ plan }: Scope) => (isEdited(plan) ? (board.plan(plan)?.revision ?? 0) + 1 : undefined);
	return rows(asked, named, edited).map(({ range, title, command, argument }) => {
		const change = argument as Partial<Scope> & { scope?: Scope } | undefined, scope = change?.scope ?? change, plan = board.plan(scope?.plan ?? 0);
		const name = plan && scope?.hunk !== undefined && command !== '' ? changeName(plan, scope.path, scope.hunk) : '';
		return new vscode.CodeLens(range, { title, command, arguments: [argument], ...(name !== '' && { tooltip: help(title, name) }) });
	});
}

/** Provides lenses on the changes in a proposed text, for deciding in a comparison. */
export class ProposedLenses implements vscode.CodeLensProvider, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<void>();
	readonly onDidChangeCodeLenses = this.changes.event;
	private readonly registered: vscode.Disposable;
	private later: NodeJS.Timeout | undefined;

	constructor(private readonly board: Board, private readonly drafts: Drafts) {
		this.registered = vscode.Disposable.from(
			vscode.languages.registerCodeLensProvider({ scheme }, this),
			{ dispose: board.changed.listen(() => this.changes.fire()) }, { dispose: drafts.changed.listen(() => this.drafted()) },
		);
	}

	/**
	 * Has the lenses made again. An editor that loses the keyboard before it asks for them never asks, and one that saves
	 * what its user turns away from makes a draft just then: so they are made once more a moment later.
	 */
	private drafted(): void {
		this.changes.fire();
		clearTimeout(this.later);
		this.later = setTimeout(() => this.changes.fire(), 1000);
	}

	dispose(): void {
		clearTimeout(this.later);
		vscode.Disposable.from(this.registered, this.changes).dispose();
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		const shown = shownBy(document.uri), plan = shown && this.board.plan(shown.plan);
		const file = plan?.files.find((f) => f.path === shown?.path);
		if (!plan || !file || !isDecidable(plan) || !vscode.workspace.isTrusted) {
			return [];
		}
		const isDraft = this.drafts.get(document.uri.toString()) !== undefined;
		if (isDraft || document.isDirty) { // its lines have moved, and nobody may approve what is not in the plan
			const title = isDraft ? `A draft, not in plan ${plan.plan} yet: save to make it revision ${plan.revision + 1}` : `Save to make this revision ${plan.revision + 1} of plan ${plan.plan}`;
			return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command: 'redline.ui.saveProposed', arguments: [plan.plan] })];
		}
		return proposed(file.hunks).flatMap(({ hunk, line }) => {
			const at = Math.min(line, document.lineCount - 1), range = new vscode.Range(at, 0, at, 0);
			const scope: Scope = { plan: plan.plan, revision: plan.revision, hash: plan.hash, path: file.path, hunk: hunk.id };
			const name = changeName(plan, file.path, hunk.id);
			const lens = (title: string, command: string, argument: unknown) => new vscode.CodeLens(range, { title, command, arguments: [argument], ...(command !== '' && { tooltip: help(title, name) }) });
			const decide = (title: string, verdict: Verdict) => lens(title, 'redline.ui.decide', { verdict, scope });
			return [lens(`${name.replace('change ', '')}: ${sizeOf(hunk)}`, '', scope), decide('Approve', 'approve'), decide('Reject', 'reject'), lens('‹', 'redline.ui.previous', scope), lens('›', 'redline.ui.next', scope)];
		});
	}
}
