import type { Context } from '../context';
import type { Commands } from './commands';
import { isNode, pickPlan, planOf, type Target } from './target';

/** Looking at plans. */
export function looking(context: Context): Commands {
	return {
		/** Everything that a plan changes, as comparisons. */
		review: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, (p) => p.files.length > 0, 'Which plan do you want to look at?'));
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
			const line = target.kind === 'hunk' ? target.hunk.range.start.line : undefined;
			await context.diffs.file(plan, target.file, line, true);
		},
		/** The plan as the text that can be edited. */
		showPlan: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, () => true, 'Which plan do you want to open as text?'));
			return plan && context.requests.show(plan.plan);
		},
		select: () => undefined, // a click on a plan opens and closes it, and nothing else
		openPlans: () => context.tree.open(),
	};
}
