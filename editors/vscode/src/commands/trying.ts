import * as vscode from 'vscode';
import type { Context } from '../context';
import { isDecidable } from '../core/plans';
import { failing, isFixable, namesCommand } from '../core/trials';
import type { Plan } from '../protocol';
import { permitted } from '../requests';
import type { Commands } from './commands';
import { isNode, pickPlan, planOf, type Target } from './target';

/** Returns the commands that run trials, and fix what failed. */
export function trying(context: Context): Commands {
	const { requests, transcript } = context;

	/** Reports whether trials are allowed, and asks the user if they have not decided yet. The server checks the rest. */
	const allowed = async (): Promise<boolean> => {
		if (!permitted('redline.try')) {
			return false;
		}
		if (context.board.standing.trials !== 'ask') {
			return true;
		}
		const allow = 'Allow Trials';
		const detail = 'A trial runs code of this workspace in isolation: it cannot change your files or reach the network.';
		const chosen = await vscode.window.showInformationMessage('Allow trials in this workspace? They run a plan’s commands before you approve it.', { modal: true, detail }, allow);
		return chosen === allow && allowTrials();
	};

	const allowTrials = async (): Promise<boolean> => {
		const answer = await requests.allowTrials();
		return 'result' in answer && answer.result.allowed;
	};

	const attempt = async (plan: Plan, command?: string) => {
		const answer = await requests.attempt(plan.plan, command);
		if ('result' in answer) {
			transcript.sent(answer.result.turn, `/try ${plan.plan}${command === undefined ? '' : ` ${command}`}`);
		}
	};

	const typed = async (plan: Plan) => {
		const command = await vscode.window.showInputBox({
			title: `Redline: try a command on plan ${plan.plan}`, prompt: 'Runs on your files as the plan would leave them, and changes none of them.',
			placeHolder: 'for example: go test ./...', value: plan.trials?.at(-1)?.command ?? plan.commands[0]?.command ?? '', ignoreFocusOut: true,
		});
		if (command?.trim()) {
			await attempt(plan, command);
		}
	};

	const chosen = async (target: Target) => {
		const plan = planOf(context, target) ?? context.here.reviewed() ?? (await pickPlan(context, (p) => isDecidable(p) && !p.textOnly, 'Try a command on which plan?', 'no plan to try a command on.'));
		return plan && (await allowed()) ? plan : undefined;
	};

	return {
		try: async (target?: Target) => {
			const plan = await chosen(target);
			return plan && (namesCommand(plan) ? attempt(plan) : typed(plan));
		},
		tryCommand: async (target?: Target) => {
			const plan = await chosen(target);
			return plan && typed(plan);
		},
		/** Reworks the plan to fix what failed: in a trial, or when the plan was executed. */
		fix: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, isFixable, 'Fix which plan?', 'nothing failed, so there is nothing to fix.'));
			if (!plan || !isFixable(plan)) {
				return;
			}
			const ran = plan.state === 'failed' ? undefined : failing(plan);
			const trial = isNode(target) && target.kind === 'trial' ? target.trial : ran;
			const answer = await requests.fix(plan.plan, trial?.id);
			if ('result' in answer) {
				transcript.sent(answer.result.turn, trial ? `Fix plan ${plan.plan}: \`${trial.command}\` ${trial.result}` : `Fix plan ${plan.plan}`);
			}
		},
		allowTrials: () => permitted('redline.allowTrials') && allowTrials(),
		/** Shows the output of a trial. */
		trialOutput: (target?: Target) => {
			if (isNode(target) && target.kind === 'trial' && !context.tree.isDeciding(target)) {
				return context.outputs.open(target.plan.plan, target.trial.id);
			}
			return undefined;
		},
	};
}
