import * as vscode from 'vscode';
import type { Context } from '../context';
import { approvable, canUndo, commandLine, count, hunkWaits, isDecidable, pendingCommands, runnable, stale, waiting } from '../core/plans';
import type { Verdict } from '../core/lenses';
import { triedAs } from '../core/trials';
import type { Plan, Scope } from '../protocol';
import { permitted } from '../requests';
import { shownBy } from '../ui/proposed';
import type { Commands } from './commands';
import { isNode, pickPlan, planOf, type Target } from './target';

/** Returns the commands that approve, reject and undo. Every decision names the revision that is shown. */
export function deciding(context: Context): Commands {
	const { requests } = context;

	/** Returns the node of the tree that a command was called for, if any. */
	const selected = (target: unknown) => (isNode(target) ? target : undefined);

	const approvePlan = async (plan: Plan) => {
		if (!permitted('redline.approve')) {
			return;
		}
		const scope: Scope = bound(plan);
		const unfit = stale(plan), commands = pendingCommands(plan);
		if (unfit > 0 && waiting(plan) > unfit) {
			const rest = 'Approve the Rest';
			const text = `${count(unfit, 'change')} of plan ${plan.plan} ${unfit === 1 ? 'is' : 'are'} stale: you edited ${unfit === 1 ? 'its' : 'their'} lines.`;
			if ((await vscode.window.showWarningMessage(text, { modal: true, detail: 'You can approve the rest without them.' }, rest)) !== rest) {
				return;
			}
			scope.skipStale = true;
		} else if (waiting(plan) === 0 && commands > 0) {
			return approveWithCommands(plan);
		}
		return requests.approve(scope);
	};

	const approveWithCommands = async (plan: Plan) => {
		if (!permitted('redline.approve')) {
			return;
		}
		const run = 'Run';
		const commands = runnable(plan);
		const lines = commands.map((command) => [commandLine(command), triedAs(plan, command)].filter(Boolean).join(' · ')).join('\n');
		const asked = `${waiting(plan) > 0 ? `Approve plan ${plan.plan} and run` : 'Run'} ${count(commands.length, 'command')}?`;
		if ((await vscode.window.showWarningMessage(asked, { modal: true, detail: lines }, run)) === run) {
			await context.running.approve({ ...bound(plan), allowCommands: true, ...(stale(plan) > 0 && { skipStale: true }) });
		}
	};

	const decideOn = async (verdict: Verdict, scope: Scope | undefined) => {
		if (scope) {
			await context.comparing.decide(verdict, scope, true);
		} else {
			tellNone(context);
		}
	};

	return {
		approve: async (target?: Target) => {
			const node = selected(target);
			if (node && node.kind !== 'plan' && node.kind !== 'step') {
				return requests.approve(node.scope);
			}
			const plan = planOf(context, target) ?? context.here.reviewed() ?? (await pickPlan(context, approvable, 'Approve which plan?', 'no plan to approve.'));
			return plan && approvePlan(plan);
		},
		approveWithCommands: async (target?: Target) => {
			const plan = planOf(context, target) ?? (await pickPlan(context, (p) => pendingCommands(p) > 0, 'Run the commands of which plan?', 'no plan has commands to run.'));
			return plan && approveWithCommands(plan);
		},
		runCommand: async (target?: Target) => {
			const node = selected(target);
			const run = 'Run';
			if (node?.kind === 'command' && permitted('redline.approve')
				&& (await vscode.window.showWarningMessage(`Run this command of plan ${node.plan.plan}?`, { modal: true, detail: commandLine(node.command) }, run)) === run) {
				await context.running.approve(node.scope);
			}
		},
		reject: async (target?: Target) => {
			const node = selected(target);
			if (node && node.kind !== 'step') {
				return requests.reject(node.scope);
			}
			const plan = planOf(context, target) ?? context.here.reviewed() ?? (await pickPlan(context, isDecidable, 'Reject which plan?', 'no plan to reject.'));
			return plan && requests.reject(bound(plan));
		},
		undo: async (target?: Target) => {
			const node = selected(target);
			if (node && node.kind !== 'step') {
				return requests.undo(node.scope);
			}
			const plan = planOf(context, target) ?? (await pickPlan(context, canUndo, 'Undo which plan?', 'no plan to undo.'));
			return plan && requests.undo(bound(plan));
		},
		approveSelected: () => context.tree.atKey((node) =>
			node.can.includes('approve') ? vscode.commands.executeCommand('redline.ui.approve', node)
				: node.can.includes('run') ? vscode.commands.executeCommand('redline.ui.runCommand', node) : undefined),
		rejectSelected: () => context.tree.atKey((node) =>
			node.can.includes('reject') ? vscode.commands.executeCommand('redline.ui.reject', node) : undefined),
		approveHere: () => {
			const scope = context.here.hunk();
			if (scope) {
				return context.comparing.decide('approve', scope, true);
			}
			if (vscode.window.activeTextEditor?.document.uri.scheme !== 'file') {
				tellNone(context);
				return undefined;
			}
			return vscode.commands.executeCommand('editor.action.insertLineAfter'); // what the key does elsewhere
		},
		/** Decides on the change at the cursor, from a button in the status bar. Elsewhere it shows the next change, and decides nothing. */
		decideHere: (verdict: Verdict) => {
			const scope = context.here.hunk();
			return scope ? context.comparing.decide(verdict, scope, true) : vscode.commands.executeCommand('redline.ui.next');
		},
		rejectHere: () => decideOn('reject', context.here.hunk()),
		/** Decides on the change of a code lens. Ignores a lens that is still shown for a decided change. */
		decide: ({ verdict, scope }: { verdict: Verdict; scope: Scope }) => {
			const hunk = context.board.plan(scope.plan)?.files.find((f) => f.path === scope.path)?.hunks.find((h) => h.id === scope.hunk);
			return hunk && !hunkWaits(hunk) ? undefined : context.comparing.decide(verdict, scope, false);
		},
		approveFile: () => decideOn('approve', context.here.file()),
		rejectFile: () => decideOn('reject', context.here.file()),
	};
}

const bound = (plan: Plan): Scope => ({ plan: plan.plan, revision: plan.revision, hash: plan.hash });

function tellNone(context: Context): void {
	const uri = vscode.window.activeTextEditor?.document.uri, shown = uri && context.proposed.isEdited(uri) ? shownBy(uri) : undefined;
	if (shown) {
		void context.requests.prepare('redline.approve', shown);
		return;
	}
	void vscode.window.setStatusBarMessage('Redline: no proposed change at the cursor.', 5000);
}
