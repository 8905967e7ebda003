import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { compared, isDecided, isOutdated, waiting } from '../core/plans';
import type { FileChange, Plan } from '../protocol';
import { type Proposed, proposedUri, shownBy, type Shown } from './proposed';

const empty = 'redline-empty';

/** The title of a comparison of a whole plan, and a pattern for its number: the title is all that identifies the editor. */
const reviewTitle = (plan: number): string => `Redline: plan ${plan}`;
const ofReview = /^Redline: plan (\d+)\b/;

/** Returns the number of the plan that a tab compares as a whole, or undefined. */
export function reviewedBy(tab: vscode.Tab | undefined): number | undefined {
	const number = ofReview.exec(tab?.label ?? '')?.[1];
	return number === undefined ? undefined : Number(number);
}

/** Compares proposed texts with the live texts, in the editor's own diff editors. */
export class Diffs implements vscode.Disposable {
	private readonly subscriptions: vscode.Disposable[];
	/** The plans as they were when their comparisons opened, and the revisions in the names of their texts. */
	private readonly opened = new Map<number, { plan: Plan; shownAs: number }>();
	/** The plans that were not decided when they were last looked at. */
	private readonly waited = new Set<number>();
	private last: Promise<unknown> = Promise.resolve();

	constructor(private readonly board: Board, private readonly proposed: Proposed) {
		this.subscriptions = [
			vscode.workspace.registerTextDocumentContentProvider(empty, { provideTextDocumentContent: () => '' }),
			{ dispose: board.changed.listen((plan) => (plan ? [plan] : board.plans()).forEach((now) => this.follow(now))) },
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/** Compares one file, at a line of the proposed text. */
	async file(plan: Plan, file: FileChange, line?: number, preserveFocus = false): Promise<void> {
		const [live, proposed] = this.sides(plan, file);
		const title = `${file.newPath === undefined ? baseName(file.path) : moved(file.path, file.newPath)} (plan ${plan.plan})`;
		const options: vscode.TextDocumentShowOptions = { preview: true, preserveFocus };
		if (line !== undefined) {
			options.selection = new vscode.Range(line, 0, line, 0);
		}
		await vscode.commands.executeCommand('vscode.diff', live ?? nothing(file), proposed, title, options);
	}

	/** Compares all files of a plan in one editor. Returns false if it has none. */
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

	/** Opens the current comparison of a plan, and closes an earlier one. */
	private async open(number: number): Promise<void> {
		const plan = this.board.plan(number);
		if (!plan) {
			return;
		}
		const opened = this.opened.get(number), front = vscode.window.tabGroups.activeTabGroup.activeTab;
		if (opened && reviewedBy(front) === number && !this.isOutdated(opened, plan)) {
			return; // it is already in front
		}
		const earlier = reviews(number);
		const list = compared(plan).map((file) => {
			const [live, proposed] = this.sides(plan, file);
			return [vscode.Uri.parse(file.uri), live, file.action === 'delete' ? undefined : proposed]; // the editor marks created and deleted files
		});
		this.opened.set(number, { plan, shownAs: this.board.shownAs(plan) });
		await vscode.commands.executeCommand('vscode.changes', reviewTitle(number), list);
		await close(reviews(number).filter((tab) => earlier.includes(tab) || !(tab.isActive && tab.group.isActive))); // the editor can list all its tabs anew
	}

	/** Closes what shows proposed texts of a plan once it is decided, and renews what compares an earlier revision. Keeps unsaved work. */
	private follow(plan: Plan): void {
		if (!isDecided(plan)) {
			this.waited.add(plan.plan);
		} else if (this.waited.delete(plan.plan)) {
			void this.next(() => close(this.proposed.isEditedIn(plan.plan) ? [] : [...reviews(plan.plan), ...tabsOf(plan.plan)]));
			return;
		}
		this.renew(plan);
		if (this.superseded(plan).length > 0) {
			void this.next(() => this.replace(plan.plan));
		}
	}

	/** Returns the tabs that show what another revision of a plan than the current one proposes for a file. */
	private superseded(plan: Plan): vscode.Tab[] {
		const edited = (tab: vscode.Tab) => tab.isDirty || this.proposed.isEdited(proposedIn(tab) as vscode.Uri);
		return tabsOf(plan.plan).filter((tab) => shownIn(tab)?.revision !== this.board.shownAs(plan) && !edited(tab));
	}

	/** Replaces the tabs of an earlier revision: the one in front by one of the current revision. */
	private async replace(number: number): Promise<void> {
		const plan = this.board.plan(number), tabs = plan ? this.superseded(plan) : [];
		const front = tabs.find((tab) => tab.isActive && tab.group.isActive), shown = shownIn(front);
		const file = plan?.files.find((f) => f.path === shown?.path);
		if (plan && file && !isDecided(plan)) {
			await this.file(plan, file, undefined, true);
		}
		await close(tabs);
	}

	/** Reports whether a comparison of a plan has other files than it would have now, or those of an earlier revision. */
	private isOutdated(opened: { plan: Plan; shownAs: number }, now: Plan): boolean {
		return isOutdated(opened.plan, now) || opened.shownAs !== this.board.shownAs(now);
	}

	/**
	 * Reopens an open comparison of a whole plan if the plan has other files or another revision. If it is not in front, or
	 * nothing waits in it, closes it instead, so that nobody approves what it does not show.
	 */
	private renew(plan: Plan): void {
		const opened = this.opened.get(plan.plan);
		if (!opened || !this.isOutdated(opened, plan)) {
			return;
		}
		void this.next(async () => {
			const shown = reviews(plan.plan);
			const then = this.opened.get(plan.plan), now = this.board.plan(plan.plan);
			if (!then || !now || !this.isOutdated(then, now) || this.proposed.isEditedIn(plan.plan)) {
				return; // it was reopened meanwhile, or the user works in it
			}
			if (waiting(now) > 0 && compared(now).length > 0 && shown.some((tab) => tab.isActive && tab.group.isActive)) {
				await this.open(plan.plan);
			} else {
				await close(shown);
			}
		});
	}

	/** Returns the live text, undefined if there is no file, and the proposed one, which the server always has. */
	private sides(plan: Plan, file: FileChange): [live: vscode.Uri | undefined, proposed: vscode.Uri] {
		const uri = vscode.Uri.parse(file.uri);
		return [file.action === 'create' && file.status !== 'applied' ? undefined : uri, proposedUri(this.board, plan, file)];
	}

	/** Runs one piece of work after the other. */
	private next(work: () => Promise<void>): Promise<void> {
		const done = this.last.then(work);
		this.last = done.catch(() => undefined);
		return done;
	}
}

/** Returns the tabs that compare a plan as a whole. */
const reviews = (plan: number): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => reviewedBy(tab) === plan);

/** Returns the text of a tab; in a comparison, that on its right side. */
function proposedIn(tab: vscode.Tab | undefined): vscode.Uri | undefined {
	const input = tab?.input;
	return input instanceof vscode.TabInputTextDiff ? input.modified : input instanceof vscode.TabInputText ? input.uri : undefined;
}

/** Returns the proposed text that a tab shows, alone or compared with its file, or undefined. */
export function shownIn(tab: vscode.Tab | undefined): Shown | undefined {
	const uri = proposedIn(tab);
	return uri && shownBy(uri);
}

/** Returns the tabs that show what a plan proposes for one file. */
const tabsOf = (plan: number): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => shownIn(tab)?.plan === plan);

/** Closes those tabs that are still open: a preview tab is replaced by the next one. */
async function close(tabs: vscode.Tab[]): Promise<void> {
	const there = new Set(vscode.window.tabGroups.all.flatMap((group) => group.tabs));
	const left = tabs.filter((tab) => there.has(tab));
	if (left.length > 0) {
		await vscode.window.tabGroups.close(left, true);
	}
}

const nothing = (file: FileChange): vscode.Uri => vscode.Uri.from({ scheme: empty, path: '/' + file.path });

/** Returns a move in few words: the names if the folder stays, else the whole paths. */
const moved = (from: string, to: string): string =>
	from.slice(0, from.lastIndexOf('/') + 1) === to.slice(0, to.lastIndexOf('/') + 1) ? `${baseName(from)} → ${baseName(to)}` : `${from} → ${to}`;

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
