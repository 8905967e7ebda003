import * as vscode from 'vscode';
import type { Context } from '../context';
import type { Node } from '../core/nodes';
import { extent, stateName } from '../core/plans';
import type { Plan } from '../protocol';

/** The argument of a command: a node of the tree, a plan's number, or nothing. */
export type Target = Node | number | undefined;

export const isNode = (target: unknown): target is Node => typeof target === 'object' && target !== null && 'scope' in target && 'key' in target;

/** Returns the current state of the plan that a command was called for. */
export function planOf(context: Context, target: unknown): Plan | undefined {
	const number = isNode(target) ? target.plan.plan : typeof target === 'number' ? target : undefined;
	return number === undefined ? undefined : context.board.plan(number);
}

/** Returns the only plan that fits, or lets the user pick one. Shows none if no plan fits. */
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
