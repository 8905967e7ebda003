import * as vscode from 'vscode';
import { plain } from '../core/plain';

/** The types of window/showMessage. */
export const kind = { error: 1, warning: 2, info: 3 } as const;

/** Shows a notification with buttons, and resolves to the chosen one. The text is untrusted: it makes no links. */
export function say(matters: number, text: string, ...buttons: string[]): Thenable<string | undefined> {
	switch (matters) {
		case kind.error:
			return vscode.window.showErrorMessage(plain(text), ...buttons);
		case kind.warning:
			return vscode.window.showWarningMessage(plain(text), ...buttons);
		default:
			return vscode.window.showInformationMessage(plain(text), ...buttons);
	}
}
