import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { compared, isOutdated, waiting } from '../core/plans';
import type { FileChange, Plan } from '../protocol';
import { proposedUri } from './proposed';

const empty = 'redline-empty';

/** The title of an editor that compares a whole plan, and the number in it: the editor has no other name for it. */
const reviewTitle = (plan: number): string => `Redline: plan ${plan}`;
const ofReview = /^Redline: plan (\d+)\b/;

/** The number of the plan that a tab compares as a whole, undefined if it is another tab. */
export function reviewedBy(tab: vscode.Tab | undefined): number | undefined {
	const number = ofReview.exec(tab?.label ?? '')?.[1];
	return number === undefined ? undefined : Number(number);
}

/** Comparisons of what a plan proposes with the text of now, in the editor's own diff editors. */
export class Diffs implements vscode.Disposable {
	private readonly subscriptions: vscode.Disposable[];
	/** The plans as they were when their comparisons were opened. */
	private readonly opened = new Map<number, Plan>();
	private last: Promise<unknown> = Promise.resolve();

	constructor(private readonly board: Board) {
		this.subscriptions = [
			vscode.workspace.registerTextDocumentContentProvider(empty, { provideTextDocumentContent: () => '' }),
			{ dispose: board.changed.listen((plan) => plan && this.follow(plan)) },
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/** Opens one file, at a line of the proposed text. */
	async file(plan: Plan, file: FileChange, line?: number, preserveFocus = false): Promise<void> {
		const [live, proposed] = sides(plan, file);
		const title = `${baseName(file.newPath ?? file.path)} (plan ${plan.plan})`;
		const options: vscode.TextDocumentShowOptions = { preview: true, preserveFocus };
		if (line !== undefined) {
			options.selection = new vscode.Range(line, 0, line, 0);
		}
		await vscode.commands.executeCommand('vscode.diff', live ?? nothing(file), proposed, title, options);
	}

	/** Opens everything that a plan changes in one editor; returns false if it has no files to compare. */
	async plan(number: number, preserveFocus = false): Promise<boolean> {
		const plan = this.board.plan(number);
		if (!plan || plan.files.length === 0) {
			return false;
		}
		const only = plan.files[0];
		if (plan.files.length === 1 && only) {
			await this.file(plan, only, undefined, preserveFocus);
			return true;
		}
		await this.next(() => this.open(number));
		return true;
	}

	/** Opens the comparison of a plan as it is now, in the place of an earlier one. */
	private async open(number: number): Promise<void> {
		const plan = this.board.plan(number);
		if (!plan) {
			return;
		}
		const opened = this.opened.get(number), front = vscode.window.tabGroups.activeTabGroup.activeTab;
		if (opened && reviewedBy(front) === number && !isOutdated(opened, plan)) {
			return; // it is in front of the user
		}
		const earlier = reviews(number);
		const list = compared(plan).map((file) => {
			const [live, proposed] = sides(plan, file);
			return [vscode.Uri.parse(file.uri), live, file.action === 'delete' ? undefined : proposed]; // the editor says which are new and which go
		});
		this.opened.set(number, plan);
		await vscode.commands.executeCommand('vscode.changes', reviewTitle(number), list);
		await close(earlier);
	}

	/**
	 * A comparison follows the texts of its files by itself, not which files those are: then it is opened anew. One that is
	 * not in front is closed, so that nobody approves by it what it does not show, and one in which nothing waits.
	 */
	private follow(plan: Plan): void {
		const opened = this.opened.get(plan.plan);
		if (!opened || !isOutdated(opened, plan)) {
			return;
		}
		void this.next(async () => {
			const shown = reviews(plan.plan);
			const then = this.opened.get(plan.plan), now = this.board.plan(plan.plan);
			if (!then || !now || !isOutdated(then, now)) {
				return; // it was opened anew meanwhile
			}
			if (waiting(now) > 0 && compared(now).length > 0 && shown.some((tab) => tab.isActive && tab.group.isActive)) {
				await this.open(plan.plan);
			} else {
				await close(shown);
			}
		});
	}

	/** Opens and closes one after the other. */
	private next(work: () => Promise<void>): Promise<void> {
		const done = this.last.then(work);
		this.last = done.catch(() => undefined);
		return done;
	}
}

/** The tabs that compare a plan as a whole. */
const reviews = (plan: number): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => reviewedBy(tab) === plan);

/** Closes tabs that are still there: one that is only looked at gives way to the next by itself. */
async function close(tabs: vscode.Tab[]): Promise<void> {
	const there = new Set(vscode.window.tabGroups.all.flatMap((group) => group.tabs));
	const left = tabs.filter((tab) => there.has(tab));
	if (left.length > 0) {
		await vscode.window.tabGroups.close(left, true);
	}
}

const nothing = (file: FileChange): vscode.Uri => vscode.Uri.from({ scheme: empty, path: '/' + file.path });

/** The text of now, undefined where there is no file, and the proposed one: the server has it in any case. */
function sides(plan: Plan, file: FileChange): [live: vscode.Uri | undefined, proposed: vscode.Uri] {
	const uri = vscode.Uri.parse(file.uri);
	return [file.action === 'create' && file.status !== 'applied' ? undefined : uri, proposedUri(plan.plan, file.path, uri)];
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
