import * as vscode from 'vscode';
import type { Context } from '../context';
import { ago } from '../core/history';
import { plain } from '../core/plain';
import { count, isDecidable } from '../core/plans';
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
		history: async () => {
			const outcome = permitted('redline.conversations') ? await context.requests.conversations() : undefined;
			if (!outcome || !('result' in outcome)) {
				return;
			}
			const now = context.chat.conversation;
			const items = outcome.result.conversations.map(({ conversation, request, updated, count: exchanges }) => ({
				label: plain(request), description: `${ago(updated, new Date())} · ${count(exchanges, 'message')}${conversation === now ? ' · open now' : ''}`, conversation,
			}));
			const chosen = await vscode.window.showQuickPick(items, {
				title: 'Redline: open an earlier conversation', placeHolder: items.length > 0 ? 'The next message continues it' : 'Nothing was said in this workspace yet', matchOnDescription: true,
			});
			if (chosen) {
				await context.chat.openEarlier(chosen.conversation);
			}
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
