import * as vscode from 'vscode';

const setting = 'renderSideBySide';

/**
 * Offers to show differences side by side or below each other, as the model asks for. The editor has only a setting for
 * it, which is the user's own: nothing is set unless they say so.
 */
export async function offerDiffMode(mode: string | undefined): Promise<void> {
	const beside = mode === 'split';
	const editors = vscode.workspace.getConfiguration('diffEditor');
	if ((mode !== 'split' && mode !== 'unified') || editors.get<boolean>(setting, true) === beside) {
		return;
	}
	const yes = beside ? 'Side by Side' : 'Inline';
	const text = `Redline: show differences ${beside ? 'side by side' : 'inline'}? This changes your setting diffEditor.${setting}.`;
	if ((await vscode.window.showInformationMessage(text, yes)) === yes) {
		await editors.update(setting, beside, vscode.ConfigurationTarget.Global);
	}
}
