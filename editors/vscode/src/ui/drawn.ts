import * as vscode from 'vscode';
import { columnRows, type Come, type Drawing } from '../core/inline';
import { clip, visible } from '../core/visible';
import type { HunkText, HunkTexts } from './hunktexts';
import type { Marked, Places } from './places';

/** The most characters of a new text that are drawn. */
const longest = 160;
/** The most removed lines and new texts that are drawn in a document: the editor makes a style for each new text. */
const mostGone = 2000, mostCome = 400;

/** A change to draw: the lines that it touches, and how. */
export interface Change {
	line: number;
	last: number;
	action: string;
	drawing: Drawing;
}

/** What is drawn in one editor. */
export interface Layers {
	gone: vscode.Range[];
	/** The text of lines that are removed as a whole. */
	struck: vscode.Range[];
	words: vscode.Range[];
	come: vscode.DecorationOptions[];
}

/** How removed and new text look in the theme's own diff editor: themes of high contrast have borders and no backgrounds. */
const removed = { textDecoration: 'line-through', border: '1px dashed', borderColor: new vscode.ThemeColor('diffEditor.removedTextBorder') };
const added = {
	color: new vscode.ThemeColor('editor.foreground'), backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'), fontStyle: 'normal',
	border: '1px solid', borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
};

/** Draws layers in editors. */
export class Paint implements vscode.Disposable {
	private readonly gone = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor('diffEditor.removedLineBackground') });
	private readonly words = vscode.window.createTextEditorDecorationType({
		...removed, backgroundColor: new vscode.ThemeColor('diffEditor.removedTextBackground'), rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
	});
	private readonly struck = vscode.window.createTextEditorDecorationType({ ...removed, rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed });
	private readonly come = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed });

	dispose(): void {
		vscode.Disposable.from(this.gone, this.words, this.struck, this.come).dispose();
	}

	apply(editor: vscode.TextEditor, layers: Layers): void {
		editor.setDecorations(this.gone, layers.gone.slice(0, mostGone));
		editor.setDecorations(this.struck, layers.struck.slice(0, mostGone));
		editor.setDecorations(this.words, layers.words.slice(0, mostGone));
		editor.setDecorations(this.come, layers.come.slice(0, mostCome));
	}
}

/** Returns how changes are drawn in an editor whose text they all fit. */
export function layersOf(editor: vscode.TextEditor, changes: readonly Change[]): Layers {
	const layers: Layers = { gone: [], struck: [], words: [], come: [] };
	for (const change of changes) {
		drawChange(layers, editor, change, change, spaceBelow(editor.document, change, changes));
	}
	return layers;
}

/**
 * Draws the changes of a plan in the live text: old text in red and struck through, new text in green at its place, and a
 * mark in the gutter. The editor cannot draw lines that are not in the text: the new lines of a rewrite stand in a column at
 * the right of the old ones, and of lines that are only inserted the first is drawn. Comparisons draw their changes themselves.
 */
export class Drawn implements vscode.Disposable {
	private readonly pending: vscode.TextEditorDecorationType;
	private readonly stale: vscode.TextEditorDecorationType;
	/** Lines of a change whose text has not arrived yet. */
	private readonly unknown = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor('redline.hunkBackground') });
	private readonly paint = new Paint();
	private readonly subscriptions: vscode.Disposable[];
	/** The version of the text when it was drawn last. */
	private readonly versions = new WeakMap<vscode.TextEditor, number>();

	constructor(private readonly places: Places, private readonly texts: HunkTexts, media: vscode.Uri) {
		this.pending = mark(media, 'mark.svg', 'redline.hunk');
		this.stale = mark(media, 'mark-stale.svg', 'redline.staleHunk', 'redline.hunkBackground');
		this.subscriptions = [
			this.pending, this.stale, this.unknown, this.paint,
			vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
			vscode.workspace.onDidChangeConfiguration((change) => {
				if (change.affectsConfiguration('redline.decorations') || change.affectsConfiguration('redline.inlineChanges')) {
					vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
				}
			}),
			{ dispose: places.changed.listen((uri) => this.drawAll(uri)) },
			{ dispose: texts.changed.listen((uri) => this.drawAll(uri)) },
		];
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
		const settings = vscode.workspace.getConfiguration('redline', editor.document);
		const places = settings.get<boolean>('decorations', true) ? this.places.in(editor.document.uri) : [];
		const compares = editor.viewColumn === undefined, inline = !compares && settings.get<boolean>('inlineChanges', true);
		const layers: Layers = { gone: [], struck: [], words: [], come: [] };
		const unknown: vscode.Range[] = [];
		let behind = false;
		for (const place of places.filter((p) => !p.stale)) {
			const text = inline ? this.texts.of(place) : undefined;
			if (text && fits(editor.document, place, text)) {
				drawChange(layers, editor, place, text, spaceBelow(editor.document, place, places));
			} else if (!compares) {
				behind = behind || text !== undefined;
				unknown.push(lines(place));
			}
		}
		editor.setDecorations(this.pending, places.filter((p) => !p.stale).map(lines));
		editor.setDecorations(this.stale, places.filter((p) => p.stale).map(lines));
		const { version } = editor.document, before = this.versions.get(editor);
		this.versions.set(editor, version);
		if (behind && before !== undefined && before !== version) {
			return; // the user is typing: decorations move with the text until the server has sent the new places
		}
		editor.setDecorations(this.unknown, unknown);
		this.paint.apply(editor, layers);
	}
}

/** The lines that a change touches. */
type Lines = Pick<Change, 'line' | 'last'>;

const lines = (p: Lines): vscode.Range => new vscode.Range(p.line, 0, p.last, 0);

function mark(media: vscode.Uri, icon: string, color: string, background?: string): vscode.TextEditorDecorationType {
	return vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		gutterIconPath: vscode.Uri.joinPath(media, icon),
		gutterIconSize: 'contain',
		...(background !== undefined && { backgroundColor: new vscode.ThemeColor(background) }),
		overviewRulerColor: new vscode.ThemeColor(color),
		overviewRulerLane: vscode.OverviewRulerLane.Left,
		rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
	});
}

/** Reports whether a change matches the text in the editor, which can be ahead of the server. */
function fits(document: vscode.TextDocument, place: Marked, text: HunkText): boolean {
	const same = (s: string) => s.replace(/\r\n?/g, '\n').replace(/\n$/, '');
	return same(document.getText(place.range)) === same(text.oldText);
}

/** Returns how many lines below a change are no other change's. */
function spaceBelow(document: vscode.TextDocument, place: Lines, places: readonly Lines[]): number {
	const next = Math.min(document.lineCount, ...places.filter((other) => other.line > place.last).map((other) => other.line));
	return next - place.last - 1;
}

function drawChange(layers: Layers, editor: vscode.TextEditor, place: Lines, { drawing, action }: Pick<Change, 'drawing' | 'action'>, below: number): void {
	const { document } = editor;
	const tabSize = typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
	const carry = new Set(drawing.column ? drawing.gone : drawing.come.filter(({ instead }) => instead).map(({ line }) => line));
	for (const line of drawing.gone) {
		const { lineNumber, text, firstNonWhitespaceCharacterIndex, isEmptyOrWhitespace } = document.lineAt(place.line + line);
		const range = new vscode.Range(lineNumber, firstNonWhitespaceCharacterIndex, lineNumber, text.trimEnd().length);
		if (!carry.has(line)) {
			layers.gone.push(new vscode.Range(lineNumber, 0, lineNumber, 0));
		}
		if (!isEmptyOrWhitespace) {
			(carry.has(line) ? layers.words : layers.struck).push(range); // the new text at its end must not stand on red
		}
	}
	if (drawing.column) {
		const beside = Array.from({ length: place.last - place.line + 1 + below }, (_, i) => document.lineAt(place.line + i).text);
		for (const { line, margin, text } of columnRows(drawing.column, beside, tabSize)) {
			const at = document.lineAt(place.line + line).range.end;
			layers.come.push({ range: new vscode.Range(at, at), renderOptions: { after: { ...added, contentText: visible(clip(text, longest), tabSize), margin: `0 0 0 ${margin}ch` } } });
		}
	}
	for (const { line, edits } of drawing.edited) {
		for (const edit of edits) {
			const range = new vscode.Range(place.line + line, edit.start, place.line + line, edit.end);
			if (!range.isEmpty) {
				layers.words.push(range);
			}
			if (edit.text !== '') {
				layers.come.push(ghost(document, range.end, visible(clip(edit.text, longest), tabSize)));
			}
		}
	}
	if (action !== 'delete') {
		for (const come of drawing.come) {
			layers.come.push(newLines(document, place, come, tabSize));
		}
	}
}

/** Draws new lines: the first one at the end of a line, with how many follow. */
function newLines(document: vscode.TextDocument, place: Lines, { line, text, more }: Come, tabSize: number): vscode.DecorationOptions {
	const rest = more > 0 ? ` … +${more} more line${more === 1 ? '' : 's'}` : '';
	const shown = clip(text.trim(), longest);
	const at = place.line + line;
	if (at < 0) { // above the first line
		return ghost(document, new vscode.Position(0, 0), visible(`+ ${shown}${rest} ↵ `, tabSize));
	}
	return ghost(document, document.lineAt(at).range.end, visible(`+ ${shown}${rest}`, tabSize), '0 0 0 1ch');
}

/** Draws a text after a position, or before it at the start of a line. */
function ghost(document: vscode.TextDocument, at: vscode.Position, contentText: string, margin?: string): vscode.DecorationOptions {
	const drawn: vscode.ThemableDecorationAttachmentRenderOptions = { ...added, contentText, ...(margin !== undefined && { margin }) };
	const first = at.character === 0 && !document.lineAt(at.line).isEmptyOrWhitespace;
	return first
		? { range: new vscode.Range(at, at.translate(0, 1)), renderOptions: { before: drawn } }
		: { range: new vscode.Range(at.translate(0, at.character > 0 ? -1 : 0), at), renderOptions: { after: drawn } };
}
