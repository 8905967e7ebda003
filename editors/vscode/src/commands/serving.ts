import * as vscode from 'vscode';
import type { Context } from '../context';
import { count } from '../core/plans';
import type { Commands } from './commands';

/** Returns the commands of the server, and the menu of the status bar item. */
export function serving(context: Context): Commands {
	return {
		restart: () => context.server.restart(),
		stop: () => context.server.stop(),
		showLog: () => context.log.show(),
		choose: () => context.server.choose(),
		serverSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', 'redline.server.path'),
		menu: () => menu(context),
	};
}

interface Choice extends vscode.QuickPickItem {
	run: string;
}

async function menu(context: Context): Promise<void> {
	const { board, server } = context;
	const choices: Choice[] = [];
	const add = (icon: string, label: string, run: string, description = '') => choices.push({ label: `$(${icon}) ${label}`, description, run });
	if (server.state === 'running') {
		const running = board.running();
		if (running.length > 0) {
			add('stop-circle', running.length > 1 ? `Cancel ${count(running.length, 'running turn')}` : 'Cancel the running turn', 'redline.ui.cancel', running.map((t) => t.request).join('; '));
		}
		const waiting = board.waiting();
		if (waiting > 0) {
			add('diff', 'Review', 'redline.ui.review', `${count(waiting, 'change')} waiting`);
			add('arrow-down', 'Go to the next change', 'redline.ui.next');
			add('check', 'Approve a plan', 'redline.ui.approve');
			add('close', 'Reject a plan', 'redline.ui.reject');
		}
		add('edit', 'Ask for a change', 'redline.ui.ask');
		add('comment-discussion', 'Open the chat', 'redline.ui.chat');
		add('list-tree', 'Show the plans', 'redline.ui.openPlans');
		add('debug-stop', 'Stop the server', 'redline.ui.stop');
	}
	add('debug-restart', server.state === 'running' ? 'Restart the server' : 'Start the server', 'redline.ui.restart');
	add('sparkle', 'Set up a model…', 'redline.ui.setup', board.model.provider === 'builtin' ? 'now: the built-in model' : board.model.name);
	add('output', 'Show the log', 'redline.ui.showLog');
	if (server.state === 'missing') {
		add('folder-opened', 'Choose the server program…', 'redline.ui.choose');
		add('gear', 'Open the server settings', 'redline.ui.serverSettings');
	}
	const chosen = await vscode.window.showQuickPick(choices, { title: 'Redline' });
	if (chosen) {
		await vscode.commands.executeCommand(chosen.run);
	}
}
