import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { children, type Node, placeOf, planNode, spoken } from '../core/nodes';
import { commandLine, count, isOpen } from '../core/plans';
import { problemLine, problemsOf, problemWords } from '../core/problems';
import { report } from '../core/trials';
import { changedBy, madeBy } from '../core/worker';

/** The view “Plans”: plan → step → file → hunk. */
export class PlansTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<void>();
	readonly onDidChangeTreeData = this.changes.event;
	private readonly view: vscode.TreeView<Node>;
	/** The key of the node that is being decided on; true while it is not known yet. */
	private deciding: string | boolean = false;
	private readonly subscriptions: vscode.Disposable[];

	constructor(private readonly board: Board) {
		this.view = vscode.window.createTreeView('redline.plans', { treeDataProvider: this, showCollapseAll: true });
		this.subscriptions = [
			this.view,
			this.changes,
			{
				dispose: board.changed.listen(() => {
					this.changes.fire();
					const waiting = board.waiting();
					this.view.badge = waiting > 0 ? { value: waiting, tooltip: `${count(waiting, 'change')} ${waiting === 1 ? 'waits' : 'wait'} for you` } : undefined;
				}),
			},
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/**
	 * Calls decide with the focused node. The editor reports only the selected node, and arrow keys only move the focus, so
	 * this selects it first, and isDeciding keeps the selection from opening it.
	 */
	async atKey(decide: (node: Node) => unknown): Promise<void> {
		this.deciding = true;
		try {
			await vscode.commands.executeCommand('list.select');
			const node = this.view.selection[0];
			if (node) {
				this.deciding = node.key;
				await decide(node);
			}
		} finally {
			this.deciding = false;
		}
	}

	/** Reports whether a node was selected only to decide on it. */
	isDeciding(node: Node): boolean {
		return this.deciding === true || this.deciding === node.key;
	}

	/** Focuses the view: on the newest plan when it opens, else where the focus was. */
	async open(): Promise<void> {
		const newest = this.board.plans()[0];
		if (newest && !this.view.visible) {
			await this.view.reveal(planNode(newest), { focus: true, select: false });
		} else {
			await vscode.commands.executeCommand('redline.plans.focus');
		}
	}

	/** Only plans are revealed, and they have no parent. */
	getParent(): undefined {
		return undefined;
	}

	getChildren(node?: Node): Node[] {
		return node ? children(node) : [...(this.board.draft ? [this.board.draft] : []), ...this.board.plans()].map(planNode);
	}

	getTreeItem(node: Node): vscode.TreeItem {
		const leaf = children(node).length === 0;
		const open = isOpen(node.plan);
		const item = new vscode.TreeItem(node.label, leaf ? vscode.TreeItemCollapsibleState.None
			: open && node.kind !== 'revisions' ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed);
		item.id = node.key;
		item.description = node.description;
		item.contextValue = [node.kind, ...node.can].join(' ');
		item.iconPath = icon(node);
		item.tooltip = tooltip(node);
		item.accessibilityInformation = { label: spoken(node) };
		if ((node.kind === 'file' || node.kind === 'hunk') && node.plan.plan > 0) {
			item.command = { command: 'redline.ui.diff', title: 'Compare', arguments: [node] };
		} else if (node.kind === 'revision' && node.can.includes('compare')) {
			item.command = { command: 'redline.ui.compareRevision', title: 'Compare with Newest Revision', arguments: [node] };
		} else if (node.kind === 'trial') {
			item.command = { command: 'redline.ui.trialOutput', title: 'Show Output', arguments: [node] };
		} else if (node.kind === 'problem') {
			item.command = { command: 'redline.ui.problem', title: 'Show Problem', arguments: [node] };
		} else if (node.kind === 'plan') {
			item.command = { command: 'redline.ui.select', title: 'Select', arguments: [node] };
		}
		return item;
	}
}

const icons: Record<string, [icon: string, color?: string]> = {
	awaiting_approval: ['diff', 'charts.yellow'], reviewing: ['diff', 'charts.yellow'], executing: ['sync~spin'], drafting: ['sync~spin'],
	completed: ['pass', 'testing.iconPassed'], cancelled: ['circle-slash', 'disabledForeground'], failed: ['error', 'testing.iconFailed'],
	pending: ['circle-outline'], in_progress: ['sync~spin'], approved: ['pass', 'testing.iconPassed'], applied: ['pass', 'testing.iconPassed'],
	applying: ['sync~spin'], running: ['sync~spin'], succeeded: ['pass', 'testing.iconPassed'], rejected: ['circle-slash', 'disabledForeground'],
	skipped: ['circle-slash', 'disabledForeground'], stale: ['warning', 'list.warningForeground'], unverified: ['question', 'list.warningForeground'],
	waiting_for_save: ['watch'],
	error: ['error', 'list.errorForeground'], warning: ['warning', 'list.warningForeground'], information: ['info'], hint: ['info'], revisions: ['history'], revision: ['git-commit'],
};

function icon(node: Node): vscode.ThemeIcon {
	if (node.kind === 'trial') {
		const [name, color] = node.status === 'passed' ? ['beaker', 'testing.iconPassed'] : ['beaker-stop', 'testing.iconFailed'];
		return new vscode.ThemeIcon(name, new vscode.ThemeColor(node.trial.current ? color : 'disabledForeground'));
	}
	if (node.kind === 'file' && node.status === 'pending') {
		const by: Record<string, string> = { create: 'diff-added', delete: 'diff-removed', rename: 'diff-renamed' };
		return new vscode.ThemeIcon(by[node.file.action] ?? 'diff-modified');
	}
	if (node.kind === 'command' && node.status === 'pending') {
		return new vscode.ThemeIcon('terminal');
	}
	const [name, color] = icons[node.status] ?? ['circle-outline'];
	return new vscode.ThemeIcon(name, color ? new vscode.ThemeColor(color) : undefined);
}

/** Returns what language servers report about a plan; what its description has already is left out. */
function problemTexts({ plan, description }: Node): string[] {
	const { added = [] } = problemsOf(plan) ?? {}, words = problemWords(plan);
	return [description.endsWith(words) ? '' : words, ...added.slice(0, 10).map(problemLine)];
}

function tooltip(node: Node): string {
	switch (node.kind) {
		case 'plan':
			return [`Plan ${node.plan.plan}, revision ${node.plan.revision}: ${node.plan.goal}`, node.description, ...problemTexts(node), madeBy(node.plan), changedBy(node.plan), ...(node.plan.unfinished ?? [])].filter(Boolean).join('\n');
		case 'step':
			return [node.step.description, node.step.rationale && `Why: ${node.step.rationale}`, node.step.risk && `Risk: ${node.step.risk}`].filter(Boolean).join('\n');
		case 'command':
			return [commandLine(node.command), node.command.rule && `Runs with the plan, by your rule ${node.command.rule}`, node.command.reason, node.command.output].filter(Boolean).join('\n');
		case 'operation':
			return [`${node.operation.id} ${node.operation.tool} ${node.label}`, 'Taken out of the plan. You can put it back.'].join('\n');
		case 'problems':
			return ['What language servers report about the files as the plan would leave them', ...problemTexts(node)].join('\n');
		case 'problem':
			return problemLine(node.problem);
		case 'revisions':
			return 'All revisions of the plan, newest first';
		case 'revision':
			return [`${node.label}, ${node.description}`, new Date(node.revision.created).toLocaleString()].join('\n');
		case 'trial':
			return report(node.plan, node.trial);
		case 'file':
			return [node.label, node.file.reason].filter(Boolean).join('\n');
		case 'hunk':
			return [`${node.file.path}, ${placeOf(node)}`, node.hunk.reason].filter(Boolean).join('\n');
	}
}
