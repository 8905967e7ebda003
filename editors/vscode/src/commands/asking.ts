import * as vscode from 'vscode';
import type { Context } from '../context';
import { isDecidable } from '../core/plans';
import { permitted } from '../requests';
import type { Commands } from './commands';
import { pickPlan, planOf, type Target } from './target';

/** Returns the commands that ask, rework and cancel. */
export function asking(context: Context): Commands {
	return {
		ask: async () => {
			if (!permitted('redline.chat')) {
				return;
			}
			const editor = vscode.window.activeTextEditor;
			const selected = editor !== undefined && !editor.selection.isEmpty;
			const message = await vscode.window.showInputBox({
				title: selected ? 'Redline: ask about the selection' : 'Redline: ask for a change',
				prompt: 'What should change? Nothing is edited until you approve it.',
				placeHolder: 'for example: rename greet to salute in *.go',
				ignoreFocusOut: true,
			});
			if (!message?.trim()) {
				return;
			}
			await context.chat.reveal();
			await context.chat.send(message, true);
		},
		chat: (prompt?: unknown) => context.chat.open(typeof prompt === 'string' ? prompt : undefined),
		newChat: async () => {
			await context.chat.open();
			await context.chat.send('/new');
		},
		rework: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, isDecidable, 'Rework which plan?', 'no plan to rework.'));
			if (!plan || !permitted('redline.rework')) {
				return;
			}
			const feedback = await vscode.window.showInputBox({ title: `Redline: rework plan ${plan.plan}`, prompt: 'What should be different?', ignoreFocusOut: true });
			if (feedback?.trim()) {
				const outcome = await context.requests.rework(plan.plan, feedback);
				if ('result' in outcome) {
					context.transcript.sent(outcome.result.turn, `/rework ${plan.plan} ${feedback}`);
				}
			}
		},
		cancel: () => context.requests.cancel(),
	};
}
