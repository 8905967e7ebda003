import * as vscode from 'vscode';
import type { Verdict } from '../core/lenses';
import type { Here } from './here';

interface Button {
	id: string;
	text: string;
	name: string;
	label: string;
	/** What it does: it decides on the change at the cursor, or calls a command. */
	does: { verdict: Verdict } | { command: string };
}

const all: Button[] = [
	{ id: 'previous', text: '$(chevron-left)', name: 'Previous Change', label: 'Go to the previous change', does: { command: 'redline.ui.previous' } },
	{ id: 'approve', text: '$(check) Approve', name: 'Approve Change', label: 'Approve the change at the cursor', does: { verdict: 'approve' } },
	{ id: 'reject', text: '$(close) Reject', name: 'Reject Change', label: 'Reject the change at the cursor', does: { verdict: 'reject' } },
	{ id: 'next', text: '$(chevron-right)', name: 'Next Change', label: 'Go to the next change', does: { command: 'redline.ui.next' } },
];

/**
 * Shows buttons in the status bar while a change waits in the active editor. They do not follow the cursor. In a workspace
 * that is not trusted, nothing can be decided.
 */
export class Buttons implements vscode.Disposable {
	private readonly items: vscode.StatusBarItem[];
	private readonly subscriptions: vscode.Disposable[];
	private waits = false;

	constructor(here: Here) {
		this.items = all.map(({ id, text, name, label, does }, i) => {
			const item = vscode.window.createStatusBarItem(`redline.${id}`, vscode.StatusBarAlignment.Left, 9.9 - i / 10); // beside Redline's own
			item.text = text;
			item.name = `Redline: ${name}`;
			item.tooltip = label;
			item.accessibilityInformation = { label, role: 'button' };
			item.command = 'command' in does ? does.command : { command: 'redline.ui.decideHere', title: name, arguments: [does.verdict] };
			return item;
		});
		this.subscriptions = [
			...this.items,
			vscode.workspace.onDidGrantWorkspaceTrust(() => this.draw()),
			{ dispose: here.changed.listen((waits) => {
				this.waits = waits;
				this.draw();
			}) },
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	private draw(): void {
		all.forEach(({ does }, i) => {
			if (this.waits && ('command' in does || vscode.workspace.isTrusted)) {
				this.items[i]?.show();
			} else {
				this.items[i]?.hide();
			}
		});
	}
}
