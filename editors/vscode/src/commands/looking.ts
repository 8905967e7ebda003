import * as vscode from 'vscode';
import type { Context } from '../context';
import { proposedPlaces } from '../core/walk';
import { problemAt } from '../core/problems';
import type { Plan, Problem, Scope } from '../protocol';
import { proposedUri } from '../ui/proposed';
import type { Commands } from './commands';
import { isNode, pickPlan, planOf, type Target } from './target';

/** Returns the commands that show plans. */
export function looking(context: Context): Commands {
	return {
		/** Compares everything that a plan changes. */
		review: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, (p) => p.files.length > 0, 'Review which plan?', 'no plan to review.'));
			if (plan && !(await context.diffs.plan(plan.plan))) {
				await context.requests.show(plan.plan);
			}
		},
		/** Compares a file of the tree, at one of its hunks. */
		diff: async (target?: Target) => {
			if (!isNode(target) || (target.kind !== 'file' && target.kind !== 'hunk') || context.tree.isDeciding(target)) {
				return;
			}
			const plan = context.board.plan(target.plan.plan) ?? target.plan;
			await context.diffs.file(plan, target.file, target.kind === 'hunk' ? lineOf(plan, target.file.path, target.hunk.id) : undefined, true);
		},
		/** Compares the file of a code lens, at its change. */
		compareChange: async ({ plan: number, path, hunk }: Scope) => {
			const plan = context.board.plan(number), file = plan?.files.find((f) => f.path === path);
			if (plan && file) {
				await context.diffs.file(plan, file, lineOf(plan, file.path, hunk));
			}
		},
		/** Opens the new text of a code lens's change below it. */
		peekChange: async ({ plan: number, path, hunk }: Scope) => {
			const plan = context.board.plan(number), file = plan?.files.find((f) => f.path === path);
			const place = plan && proposedPlaces(plan).find((p) => p.uri === path && p.hunk === hunk);
			if (!plan || !file || !place) {
				return;
			}
			const live = vscode.Uri.parse(file.uri), at = context.places.in(live).find((p) => p.plan === number && p.hunk === hunk);
			const last = at?.last ?? file.hunks.find((h) => h.id === hunk)?.range.start.line ?? 0;
			const there = new vscode.Location(proposedUri(context.board, plan, file), new vscode.Range(place.line, 0, place.line, 0));
			await vscode.commands.executeCommand('editor.action.peekLocations', live, new vscode.Position(last, 0), [there], 'peek');
		},
		/** Opens the place of a problem: a node of the tree, or a plan with a path and a line. */
		problem: async (target?: Target, path?: string, line?: number) => {
			const plan = planOf(context, target);
			const problem = isNode(target) ? target.kind === 'problem' && !context.tree.isDeciding(target) ? target.problem : undefined
				: problemAt(plan, path ?? '', line ?? -1);
			if (plan && problem) {
				await openProblem(context, plan, problem);
			}
		},
		/** Opens the preview of a plan, which can be edited. */
		showPlan: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, () => true, 'Open which plan as text?', 'no plans yet.'));
			return plan && context.requests.show(plan.plan);
		},
		select: () => undefined, // a click on a plan opens and closes it, and nothing else
		openPlans: () => context.tree.open(),
	};
}

/** Opens the proposed text of a file that the plan changes beside the file, or another file as it is, at a problem. */
async function openProblem(context: Context, plan: Plan, { path, uri, range }: Problem): Promise<void> {
	const file = plan.files.find((f) => (f.newPath ?? f.path) === path);
	if (file) {
		await context.diffs.file(plan, file, range.start.line, true);
	} else if (uri !== undefined) {
		const { start, end } = range;
		await vscode.window.showTextDocument(vscode.Uri.parse(uri), { preview: true, selection: new vscode.Range(start.line, start.character, end.line, end.character) });
	}
}

/** Returns the line of a change in the proposed text, or its line in the live text if it is not in the proposed one. */
const lineOf = (plan: Plan, path: string, hunk: string | undefined): number | undefined =>
	(proposedPlaces(plan).find((p) => p.uri === path && p.hunk === hunk)?.line) ?? plan.files.find((f) => f.path === path)?.hunks.find((h) => h.id === hunk)?.range.start.line;
