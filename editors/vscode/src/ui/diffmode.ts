import * as vscode from 'vscode';

const setting = 'renderSideBySide';

/**
 * Offers to show differences side by side or inline, as the model asks. The editor has only a user setting for it, so the
 * user is asked first.
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
