import * as vscode from 'vscode';
import { plain } from '../core/plain';

/** How much a message matters, as window/showMessage numbers it. */
export const kind = { error: 1, warning: 2, info: 3 } as const;

/** Shows a message in a notification, with buttons; resolves to the one that was chosen. The text can be anybody's: it makes no links. */
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
