import * as vscode from 'vscode';
import type { Places } from './places';

/** Marks beside the lines that a plan would change. */
export class Marks implements vscode.Disposable {
	private readonly pending: vscode.TextEditorDecorationType;
	private readonly stale: vscode.TextEditorDecorationType;
	private readonly subscriptions: vscode.Disposable[] = [];

	constructor(private readonly places: Places, media: vscode.Uri) {
		const mark = (icon: string, color: string): vscode.TextEditorDecorationType =>
			vscode.window.createTextEditorDecorationType({
				isWholeLine: true,
				gutterIconPath: vscode.Uri.joinPath(media, icon),
				gutterIconSize: 'contain',
				backgroundColor: new vscode.ThemeColor('redline.hunkBackground'),
				overviewRulerColor: new vscode.ThemeColor(color),
				overviewRulerLane: vscode.OverviewRulerLane.Left,
				rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
			});
		this.pending = mark('mark.svg', 'redline.hunk');
		this.stale = mark('mark-stale.svg', 'redline.staleHunk');
		this.subscriptions.push(
			this.pending, this.stale,
			vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
			vscode.workspace.onDidChangeConfiguration((change) => {
				if (change.affectsConfiguration('redline.decorations')) {
					vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
				}
			}),
			{ dispose: places.changed.listen((uri) => this.drawAll(uri)) },
		);
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	private drawAll(uri: vscode.Uri): void {
		for (const editor of vscode.window.visibleTextEditors) {
			if (editor.document.uri.toString() === uri.toString()) {
				this.draw(editor);
			}
		}
	}

	private draw(editor: vscode.TextEditor): void {
		const shown = vscode.workspace.getConfiguration('redline', editor.document).get<boolean>('decorations', true);
		const places = shown ? this.places.in(editor.document.uri) : [];
		const range = (p: { line: number; last: number }) => new vscode.Range(p.line, 0, p.last, 0);
		editor.setDecorations(this.pending, places.filter((p) => !p.stale).map(range));
		editor.setDecorations(this.stale, places.filter((p) => p.stale).map(range));
	}
}
