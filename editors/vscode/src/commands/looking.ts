import type { Context } from '../context';
import { proposedPlaces } from '../core/walk';
import type { Plan, Scope } from '../protocol';
import type { Commands } from './commands';
import { isNode, pickPlan, planOf, type Target } from './target';

/** Looking at plans. */
export function looking(context: Context): Commands {
	return {
		/** Everything that a plan changes, as comparisons. */
		review: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, (p) => p.files.length > 0, 'Review which plan?', 'no plan to review.'));
			if (plan && !(await context.diffs.plan(plan.plan))) {
				await context.requests.show(plan.plan);
			}
		},
		/** One file of the tree, at a hunk of it. */
		diff: async (target?: Target) => {
			if (!isNode(target) || (target.kind !== 'file' && target.kind !== 'hunk') || context.tree.isDeciding(target)) {
				return;
			}
			const plan = context.board.plan(target.plan.plan) ?? target.plan;
			await context.diffs.file(plan, target.file, target.kind === 'hunk' ? lineOf(plan, target.file.path, target.hunk.id) : undefined, true);
		},
		/** The command of a lens on a change: its file in a comparison, at the change. */
		compareChange: async ({ plan: number, path, hunk }: Scope) => {
			const plan = context.board.plan(number), file = plan?.files.find((f) => f.path === path);
			if (plan && file) {
				await context.diffs.file(plan, file, lineOf(plan, file.path, hunk));
			}
		},
		/** The plan as the text that can be edited. */
		showPlan: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, () => true, 'Open which plan as text?', 'no plans yet.'));
			return plan && context.requests.show(plan.plan);
		},
		select: () => undefined, // a click on a plan opens and closes it, and nothing else
		openPlans: () => context.tree.open(),
	};
}

/** The line of a change in the proposed text of its file; of one that is not in there, its line in the text of now. */
const lineOf = (plan: Plan, path: string, hunk: string | undefined): number | undefined =>
	(proposedPlaces(plan).find((p) => p.uri === path && p.hunk === hunk)?.line) ?? plan.files.find((f) => f.path === path)?.hunks.find((h) => h.id === hunk)?.range.start.line;
