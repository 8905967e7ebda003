import * as vscode from 'vscode';
import type { Context } from '../context';
import { oneLine, operationsOn } from '../core/nodes';
import type { Plan, Revision } from '../protocol';
import { permitted } from '../requests';
import type { Commands } from './commands';
import { isNode, pickPlan, planOf, type Target } from './target';

/** Returns the commands on revisions: compare them, roll back to one, and stage operations. */
export function revising(context: Context): Commands {
	const { requests } = context;

	const compare = async (plan: Plan, from: number, to: number) => {
		const outcome = await requests.compare(plan.plan, from, to);
		if (!('result' in outcome)) {
			return;
		}
		const { operations, files } = outcome.result;
		if (files.length > 0) {
			await context.revisions.open(outcome.result);
		} else {
			const what = operations.length > 0 ? `have the same files, but differ in ${operations.join('; ')}` : 'are the same';
			void vscode.window.showInformationMessage(`Redline: revisions ${from} and ${to} of plan ${plan.plan} ${what}.`);
		}
	};

	return {
		/** Compares any two revisions of a plan. */
		compare: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, (p) => (p.revisions ?? []).length > 1, 'Compare revisions of which plan?', 'no plan has several revisions.'));
			if (!plan) {
				return;
			}
			const newestFirst = [...(plan.revisions ?? [])].reverse();
			const from = await pick(newestFirst.slice(1), `Plan ${plan.plan}: compare which revision?`);
			const to = from && (await pick(newestFirst.filter((r) => r !== from), `Plan ${plan.plan}: compare revision ${from.revision} with which?`));
			if (from && to) {
				await compare(plan, from.revision, to.revision);
			}
		},
		/** Compares a revision of the tree with the newest one. */
		compareRevision: async (target?: Target) => {
			const plan = planOf(context, target);
			if (plan && isNode(target) && target.kind === 'revision' && !context.tree.isDeciding(target)) {
				await compare(plan, target.revision.revision, plan.revision);
			}
		},
		/** Saves the user's edits of what a plan proposes, from a code lens: they become a revision. */
		saveProposed: (plan: number) => context.proposed.save(plan),
		/** Rolls back to a revision by adding another one; no file changes. */
		rollback: async (target?: Target) => {
			if (!permitted('redline.rollback')) {
				return;
			}
			const plan = planOf(context, target) ?? (await pickPlan(context, (p) => (p.revisions ?? []).length > 1, 'Roll back which plan?', 'no plan has an earlier revision.'));
			if (!plan) {
				return;
			}
			const to = isNode(target) && target.kind === 'revision' ? target.revision
				: await pick((plan.revisions ?? []).filter((r) => r.revision !== plan.revision).reverse(), `Plan ${plan.plan}: roll back to which revision?`);
			if (to) {
				await requests.rollback(plan.plan, to.revision);
			}
		},
		/** Takes the operations of a file, or a command, out of the plan. */
		unstage: async (target?: Target) => {
			if (isNode(target) && target.kind === 'file') {
				await requests.unstage(target.plan.plan, operationsOn(target.plan, target.file));
			} else if (isNode(target) && target.kind === 'command') {
				await requests.unstage(target.plan.plan, [target.command.id]);
			}
		},
		/** Puts an operation back. */
		restage: async (target?: Target) => {
			if (isNode(target) && target.kind === 'operation') {
				await requests.restage(target.plan.plan, [target.operation.id]);
			}
		},
		/** Shows the trace of the last turn. */
		trace: () => requests.trace(),
	};
}

/** Returns the only revision, or lets the user pick one. */
async function pick(revisions: Revision[], title: string): Promise<Revision | undefined> {
	if (revisions.length < 2) {
		return revisions[0];
	}
	const items = revisions.map((revision) => ({
		label: `Revision ${revision.revision}`, description: revision.author === 'user' ? 'you' : revision.author,
		detail: [new Date(revision.created).toLocaleString(), ...(revision.note ? [oneLine(revision.note)] : [])].join(' · '), revision,
	}));
	return (await vscode.window.showQuickPick(items, { title }))?.revision;
}
