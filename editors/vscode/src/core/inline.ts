import type { Row } from '../protocol';

/** A removed part of a line, and its replacement; either may be empty. */
export interface Edit {
	start: number;
	end: number;
	text: string;
}

/** How to draw a proposed change in the live text. Lines are relative to the first one that it replaces. */
export interface Drawing {
	/** Lines that are removed as a whole. */
	gone: number[];
	/** Lines with edited words. */
	edited: { line: number; edits: Edit[] }[];
	/** New lines, each drawn at the end of an existing line; -1 is the line above the change. */
	come: Come[];
	/** How many new lines are not drawn. */
	hidden: number;
	/** The new lines of a rewrite, drawn as a column at the right of the old ones; then there is no `edited` and no `come`. */
	column?: string[];
}

/** The first of some new lines. */
export interface Come {
	line: number;
	text: string;
	/** How many new lines after it are not drawn. */
	more: number;
	/** Whether it replaces the line at whose end it is drawn; otherwise it follows that line. */
	instead: boolean;
}

/** The most edits in a line that are still readable at a glance. */
const mostEdits = 6;
/** The most edits and new lines that old lines carry; beyond that the change is drawn as a rewrite. */
const mostCarried = 4;

/** Returns the lines of a text, without line ends. */
export function linesOf(text: string): string[] {
	const lines = text.split(/\r\n|\r|\n/);
	if (lines.at(-1) === '') {
		lines.pop();
	}
	return lines;
}

/**
 * Computes how to draw the change from one text to another, both of whole lines. The server has compared them: rows are its
 * lines. Without rows, or if they are those of other texts, all old lines go and all new ones come.
 */
export function drawing(oldText: string, newText: string, rows: readonly Row[] = []): Drawing {
	const old = linesOf(oldText), now = linesOf(newText);
	const drawn: Drawing = { gone: [], edited: [], come: [], hidden: 0 };
	const stay = new Set<number>();
	let from = 0, to = 0, come: string[] = []; // the lines that go, as far as they are known, and what comes instead
	const replace = () => {
		replaced(drawn, from, to, come);
		[from, come] = [to, []];
	};
	for (const row of fit(rows, old, now) ? rows : plain(old, now)) {
		const { old: line, changes = [] } = row, text = row.new === undefined ? undefined : now[row.new] ?? '';
		if (line === undefined || text === undefined || changes.length > mostEdits) {
			to += line === undefined ? 0 : 1;
			come.push(...(text === undefined ? [] : [text]));
			continue;
		}
		replace();
		from = ++to;
		if (changes.length > 0) {
			drawn.edited.push({ line, edits: changes.map(([start, end, first, after]) => ({ start, end, text: text.slice(first, after) })) });
		} else {
			stay.add(line);
		}
	}
	replace();
	drawn.hidden = drawn.come.reduce((sum, { more }) => sum + more, 0);
	return isRewrite(drawn, old.length, now.length) ? rewrite(old, now, stay) : drawn;
}

/** Reports whether rows hold all lines of two texts: the text in the editor can be ahead of the server. */
function fit(rows: readonly Row[], old: string[], now: string[]): boolean {
	return rows.filter((row) => row.old !== undefined).length === old.length && rows.filter((row) => row.new !== undefined).length === now.length;
}

const plain = (old: string[], now: string[]): Row[] => [
	...old.map((_, line): Row => ({ k: 'removed', old: line })), ...now.map((_, line): Row => ({ k: 'added', new: line })),
];

/** Reports whether a change is more than its old lines can carry: new lines would hang on old ones that they do not follow. */
function isRewrite(drawn: Drawing, old: number, now: number): boolean {
	const instead = drawn.come.some((come) => come.instead);
	const carried = drawn.come.length + drawn.edited.reduce((sum, { edits }) => sum + edits.length, 0);
	return old > 0 && now > 1 && (carried > mostCarried || (instead && drawn.hidden > 0) || (instead && drawn.edited.length > 0));
}

/** Draws a change as a rewrite: what goes, and beside it the new lines as one text. */
function rewrite(old: string[], now: string[], stay: ReadonlySet<number>): Drawing {
	return { gone: old.map((_, line) => line).filter((line) => !stay.has(line)), edited: [], come: [], hidden: 0, column: now };
}

/** The most rows of a column, and the widest line at whose right it stands, in characters. */
const mostRows = 15, widest = 100;

/** A row of a column: the text at the end of a line, and how far from it. */
export interface ColumnRow {
	line: number;
	margin: number;
	text: string;
}

/**
 * Places the new lines of a rewrite in a column. `beside` has the lines that can carry a row, in order: those of the change,
 * then lines below it. The last row says how many lines are not shown.
 */
export function columnRows(column: readonly string[], beside: readonly string[], tabSize: number): ColumnRow[] {
	const lines = beside.slice(0, Math.min(column.length, mostRows));
	const shown = column.slice(0, lines.length).map((text) => tabbed(text, tabSize));
	const more = column.length - shown.length, last = shown.pop();
	if (last !== undefined) {
		shown.push(more > 0 ? `… +${count(more + 1)}` : last);
	}
	const left = Math.min(Math.max(...lines.map((line) => tabbed(line, tabSize).length)), widest) + 3;
	const width = Math.max(...shown.map((text) => text.length));
	return shown.map((text, line) => ({ line, margin: Math.max(left - tabbed(lines[line] ?? '', tabSize).length, 3), text: `+ ${text.padEnd(width)}` }));
}

const count = (lines: number): string => `${lines} more line${lines === 1 ? '' : 's'}`;

/** Replaces tabs by spaces up to the next tab stop. */
function tabbed(text: string, tabSize: number): string {
	let made = '';
	for (const c of text) {
		made += c === '\t' ? ' '.repeat(tabSize - (made.length % tabSize)) : c;
	}
	return made;
}

/** Draws lines that have nothing in common: each removed line with a new one at its end; the last one stands for the rest. */
function replaced(drawn: Drawing, from: number, to: number, lines: string[]): void {
	for (let line = from; line < to; line++) {
		drawn.gone.push(line);
		const text = lines[line - from];
		if (text !== undefined) {
			drawn.come.push({ line, text, more: line === to - 1 ? Math.max(lines.length - (to - from), 0) : 0, instead: true });
		}
	}
	if (from === to && lines.length > 0) {
		const shown = lines.find((line) => line.trim() !== '') ?? '';
		drawn.come.push({ line: from - 1, text: shown, more: lines.length - 1, instead: false });
	}
}
