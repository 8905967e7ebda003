import * as vscode from 'vscode';
import type { Context } from '../context';
import type { Node } from '../core/nodes';
import { extent, stateName } from '../core/plans';
import type { Plan } from '../protocol';

/** What a command was called with: a node of the tree, a plan's number, or nothing to go by. */
export type Target = Node | number | undefined;

export const isNode = (target: unknown): target is Node => typeof target === 'object' && target !== null && 'scope' in target && 'key' in target;

/** The plan that a command was called for, as it is now. */
export function planOf(context: Context, target: unknown): Plan | undefined {
	const number = isNode(target) ? target.plan.plan : typeof target === 'number' ? target : undefined;
	return number === undefined ? undefined : context.board.plan(number);
}

/** The only plan that can be meant, else the one that the user picks. */
export async function pickPlan(context: Context, fits: (plan: Plan) => boolean, question: string, none: string): Promise<Plan | undefined> {
	const plans = context.board.plans().filter(fits);
	if (plans.length === 0) {
		void vscode.window.showInformationMessage(`Redline: ${none}`);
		return undefined;
	}
	if (plans.length === 1) {
		return plans[0];
	}
	const items = plans.map((plan) => ({ label: `Plan ${plan.plan}`, description: `${extent(plan.files)} · ${stateName(plan)}`, detail: plan.goal, plan }));
	return (await vscode.window.showQuickPick(items, { title: question, matchOnDetail: true }))?.plan;
}
