import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { isUnsaved, planOfMessage, waitsForSave } from '../core/transcript';
import type { FileChange, Scope } from '../protocol';
import type { Requests } from '../requests';
import { kind, say } from './say';

/**
 * Approves a plan with its commands, which run on what is saved. Saves the files of the plan that had no unsaved work before
 * the approval: what is unsaved in them is the plan's own. Asks about the others, since saving is the user's decision.
 */
export class Running {
	/** The plans that are being approved and saved so. */
	private readonly saving = new Set<number>();

	constructor(private readonly board: Board, private readonly requests: Requests) {}

	async approve(scope: Scope): Promise<void> {
		const before = this.unsaved(scope.plan);
		if (before.length === 0) {
			this.saving.add(scope.plan);
		}
		try {
			const approving = this.requests.approve(scope).then((outcome) => 'result' in outcome);
			if (!(await Promise.race([approving, this.waits(scope.plan, approving)]))) {
				return;
			}
			const own = this.unsaved(scope.plan).filter((document) => !before.includes(document));
			await Promise.all(own.map((document) => document.save()));
			if (before.some((document) => document.isDirty)) {
				void this.offer(before);
			}
			await approving;
		} finally {
			this.saving.delete(scope.plan);
		}
	}

	/** Reports whether a message asks to save what is being saved. */
	isKnown(message: string): boolean {
		const plan = planOfMessage(message);
		return plan !== undefined && this.saving.has(plan) && (isUnsaved(message) || waitsForSave(message));
	}

	private async offer(documents: readonly vscode.TextDocument[]): Promise<void> {
		const save = 'Save All and Run';
		const names = documents.map((document) => vscode.workspace.asRelativePath(document.uri)).join(', ');
		if ((await say(kind.info, `Redline: ${names} had unsaved work of yours. The command runs once you have saved it.`, save)) === save) {
			await vscode.commands.executeCommand('workbench.action.files.saveAll');
		}
	}

	/** Returns the open files of a plan that are not saved. */
	private unsaved(plan: number): vscode.TextDocument[] {
		const own = new Set(this.board.plan(plan)?.files.flatMap(places) ?? []);
		return vscode.workspace.textDocuments.filter((document) => document.isDirty && own.has(document.uri.toString()));
	}

	/** Waits until a command of the plan waits for a save, or the approval is answered. */
	private waits(plan: number, approving: Promise<boolean>): Promise<true> {
		return new Promise((resolve) => {
			const look = () => {
				if (this.board.plan(plan)?.commands.some((command) => command.status === 'waiting_for_save')) {
					stop();
					resolve(true);
				}
			};
			const stop = this.board.changed.listen(look);
			void approving.then(stop, stop);
		});
	}
}

/** Returns where a file of a plan is, before and after. */
function places({ uri, path, newPath }: FileChange): string[] {
	const live = vscode.Uri.parse(uri);
	return [live.toString(), ...(newPath !== undefined && live.path.endsWith(`/${path}`) ? [live.with({ path: live.path.slice(0, -path.length) + newPath }).toString()] : [])];
}
