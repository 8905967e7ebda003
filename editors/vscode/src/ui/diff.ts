import * as vscode from 'vscode';
import type { Board } from '../core/board';
import type { FileChange, Plan } from '../protocol';
import { proposedUri } from './proposed';

const empty = 'redline-empty';

/** The title of an editor that compares a whole plan, and the number in it: the editor has no other name for it. */
const reviewTitle = (plan: number): string => `Redline: plan ${plan}`;
export const ofReview = /^Redline: plan (\d+)/;

/** Comparisons of what a plan proposes with the text of now, in the editor's own diff editors. */
export class Diffs implements vscode.Disposable {
	private readonly provider = vscode.workspace.registerTextDocumentContentProvider(empty, { provideTextDocumentContent: () => '' });

	constructor(private readonly board: Board) {}

	dispose(): void {
		this.provider.dispose();
	}

	/** Opens one file, at a line of the text of now. */
	async file(plan: Plan, file: FileChange, line?: number, preserveFocus = false): Promise<void> {
		const [live, proposed] = sides(plan, file);
		const title = `${baseName(file.newPath ?? file.path)} (plan ${plan.plan})`;
		const options: vscode.TextDocumentShowOptions = { preview: true, preserveFocus };
		if (line !== undefined) {
			options.selection = new vscode.Range(line, 0, line, 0);
		}
		await vscode.commands.executeCommand('vscode.diff', live ?? nothing(file), proposed ?? nothing(file), title, options);
	}

	/** Opens everything that a plan changes in one editor; returns false if it has no files to compare. */
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
		const list = plan.files.map((file) => {
			const [live, proposed] = sides(plan, file);
			return [vscode.Uri.parse(file.uri), live, proposed];
		});
		await vscode.commands.executeCommand('vscode.changes', reviewTitle(plan.plan), list);
		return true;
	}
}

/** Live and proposed; undefined where there is no file on that side. */
function sides(plan: Plan, file: FileChange): [vscode.Uri | undefined, vscode.Uri | undefined] {
	const live = file.action === 'create' && file.status !== 'applied' ? undefined : vscode.Uri.parse(file.uri);
	return [live, file.action === 'delete' ? undefined : proposedUri(plan.plan, file.path, vscode.Uri.parse(file.uri))];
}

const nothing = (file: FileChange): vscode.Uri => vscode.Uri.from({ scheme: empty, path: '/' + file.path });

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
