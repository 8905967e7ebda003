import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { hasDecision } from '../core/plans';
import { statusOf } from '../core/status';
import type { Server } from '../server';

/** Shows the status bar item, and sets the context keys for the same facts. */
export class StatusBar implements vscode.Disposable {
	private readonly item = vscode.window.createStatusBarItem('redline.status', vscode.StatusBarAlignment.Left, 10);
	private readonly subscriptions: vscode.Disposable[];
	private shown = '';
	private readonly keys = new Map<string, unknown>();

	constructor(private readonly server: Server, private readonly board: Board) {
		this.item.name = 'Redline';
		this.item.command = 'redline.ui.menu';
		this.subscriptions = [
			this.item,
			server.onChange(() => this.draw()),
			vscode.workspace.onDidGrantWorkspaceTrust(() => this.draw()),
			{ dispose: board.changed.listen(() => this.draw()) },
			{ dispose: board.worked.listen(() => this.draw()) },
			{ dispose: board.stood.listen(() => this.draw()) },
			{ dispose: board.modelled.listen(() => this.draw()) },
		];
		this.draw();
		this.item.show();
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	private draw(): void {
		const running = this.board.running();
		const waiting = this.board.waiting();
		const shown = statusOf({
			server: this.server.state, waiting, trusted: vscode.workspace.isTrusted,
			doing: running.map((turn) => turn.doing || turn.request || 'working'),
		});
		this.key('redline.busy', running.length > 0);
		this.key('redline.waiting', waiting > 0);
		// What the walkthrough ticks: what was done, not what was only begun.
		this.key('redline.asked', running.length > 0 || this.board.plans().length > 0);
		this.key('redline.decided', this.board.plans().some(hasDecision));
		this.key('redline.ownModel', !['', 'builtin'].includes(this.board.model.provider));
		this.key('redline.server', this.server.state);
		this.key('redline.trials', vscode.workspace.isTrusted ? this.board.standing.trials : 'none');
		const all = JSON.stringify(shown);
		if (all === this.shown) {
			return;
		}
		this.shown = all;
		this.item.text = shown.text;
		this.item.tooltip = shown.tooltip;
		this.item.accessibilityInformation = { label: shown.tooltip, role: 'button' };
		const background = shown.kind === 'error' ? 'statusBarItem.errorBackground' : shown.kind === 'waiting' ? 'statusBarItem.warningBackground' : '';
		this.item.backgroundColor = background ? new vscode.ThemeColor(background) : undefined;
	}

	private key(name: string, value: unknown): void {
		if (this.keys.get(name) !== value) {
			this.keys.set(name, value);
			void vscode.commands.executeCommand('setContext', name, value);
		}
	}
}
