import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { drawing } from '../core/inline';
import { sizeOf } from '../core/lenses';
import type { Hunk } from '../protocol';
import { layersOf, Paint, type Change } from './drawn';

/** The changes of a document that a turn has staged, for the version of the text that they belong to. */
interface Known {
	version: number;
	hunks: readonly Hunk[];
}

/**
 * Draws what a running turn has staged in the live text, with a row above each change that says that it is not ready: it
 * cannot be decided on before the turn ends.
 */
export class Drafted implements vscode.CodeLensProvider, vscode.Disposable {
	private readonly paint = new Paint();
	private readonly changes = new vscode.EventEmitter<void>();
	readonly onDidChangeCodeLenses = this.changes.event;
	private known = new Map<string, Known>();
	private readonly parts: vscode.Disposable[];

	constructor(private readonly board: Board) {
		this.parts = [
			this.paint, this.changes,
			vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: 'untitled' }], this),
			{ dispose: board.changed.listen(() => this.look()) },
			{ dispose: board.worked.listen(() => this.look()) },
			vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.parts).dispose();
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		return this.of(document).map((hunk) => {
			const line = Math.min(hunk.range.start.line, document.lineCount - 1);
			return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title: `not ready yet: ${sizeOf(hunk)}`, command: '' });
		});
	}

	/** Takes what is staged now, and draws it if it has changed. */
	private look(): void {
		const draft = this.board.draft;
		const drawn = this.board.plans().some((plan) => plan.plan === draft?.revises && plan.files.length > 0); // its own hunks are drawn
		const files = draft && !drawn ? draft.files : [];
		if (files.length === 0 && this.known.size === 0) {
			return;
		}
		const now = new Map<string, Known>();
		for (const document of vscode.workspace.textDocuments) {
			const uri = document.uri.toString(), file = files.find((f) => vscode.Uri.parse(f.uri).toString() === uri);
			if (file && file.action !== 'delete') {
				const before = this.known.get(uri);
				now.set(uri, before?.hunks === file.hunks ? before : { version: document.version, hunks: file.hunks });
			}
		}
		this.known = now;
		vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
		this.changes.fire();
	}

	private of(document: vscode.TextDocument): readonly Hunk[] {
		const known = this.known.get(document.uri.toString());
		return known?.version === document.version ? known.hunks.filter(({ status }) => status === 'pending') : [];
	}

	private draw(editor: vscode.TextEditor): void {
		const { document } = editor, settings = vscode.workspace.getConfiguration('redline', document);
		const draws = editor.viewColumn !== undefined && settings.get<boolean>('decorations', true) && settings.get<boolean>('inlineChanges', true);
		const changes = (draws ? this.of(document) : []).map((hunk): Change => {
			const { start, end } = hunk.range, range = new vscode.Range(start.line, start.character, end.line, end.character);
			const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
			return { line: start.line, last, action: 'update', drawing: drawing(document.getText(range), hunk.newText ?? '', hunk.rows) };
		});
		this.paint.apply(editor, layersOf(editor, changes));
	}
}
