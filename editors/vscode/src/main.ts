import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { Context } from './context';

let context: Context | undefined;

/** Builds the extension and starts the server, without waiting for it. */
export function activate(extension: vscode.ExtensionContext): void {
	context = new Context(extension);
	extension.subscriptions.push(
		registerCommands(context),
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (change.affectsConfiguration('redline.server') || change.affectsConfiguration('redline.model')) {
				void context?.server.reconfigured();
			}
		}),
		context.keys.onChange((provider) => {
			if (provider === context?.server.chosen().provider) {
				void context.server.reconfigured();
			}
		}),
	);
	void context.server.start();
}

/** Stops the server, and waits until it has exited. */
export async function deactivate(): Promise<void> {
	await context?.server.dispose();
	context?.dispose();
	context = undefined;
}
