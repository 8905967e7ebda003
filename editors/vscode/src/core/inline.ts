import { common } from './common';
import { lineEdit, type Edit } from './words';

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

/** Lines with at least this similarity are drawn as one edited line. */
const similar = 0.5;
/** The most edits in a line that are still readable at a glance. */
const mostEdits = 6;
/** The most edits and new lines that old lines carry; beyond that the change is drawn as a rewrite. */
const mostCarried = 4;
/** The most lines of a change that is compared line by line. */
const mostLines = 400;
/** The most pairs of lines that are compared in a block. */
const mostPairs = 900;

/** Returns the lines of a text, without line ends. */
export function linesOf(text: string): string[] {
	const lines = text.split(/\r\n|\r|\n/);
	if (lines.at(-1) === '') {
		lines.pop();
	}
	return lines;
}

/** Computes how to draw the change from one text to another, both of whole lines. */
export function drawing(oldText: string, newText: string): Drawing {
	const old = linesOf(oldText), now = linesOf(newText);
	const drawn: Drawing = { gone: [], edited: [], come: [], hidden: 0 };
	const kept = old.length + now.length > mostLines ? [] : common(old, now);
	let i = 0, j = 0;
	for (const [a, b] of [...kept, [old.length, now.length] as const]) {
		block(drawn, old, i, a, now, j, b);
		[i, j] = [a + 1, b + 1];
	}
	drawn.hidden = drawn.come.reduce((sum, come) => sum + come.more, 0);
	return isRewrite(drawn, old.length, now.length) ? rewrite(old, now, kept) : drawn;
}

/** Reports whether a change is more than its old lines can carry: new lines would hang on old ones that they do not follow. */
function isRewrite(drawn: Drawing, old: number, now: number): boolean {
	const instead = drawn.come.some((come) => come.instead);
	const carried = drawn.come.length + drawn.edited.reduce((sum, { edits }) => sum + edits.length, 0);
	return old > 0 && now > 1 && (carried > mostCarried || (instead && drawn.hidden > 0) || (instead && drawn.edited.length > 0));
}

/** Draws a change as a rewrite: what goes, and beside it the new lines as one text. */
function rewrite(old: string[], now: string[], kept: readonly (readonly [number, number])[]): Drawing {
	const stay = new Set(kept.map(([line]) => line));
	return { gone: old.map((_, line) => line).filter((line) => !stay.has(line)), edited: [], come: [], hidden: 0, column: now };
}

/** The most rows of a column, and the widest line at whose right it stands, in characters. */
const mostRows = 15, widest = 100;

/** A row of a column: the text at the end of a line, and how far from it. */
export interface Row {
	line: number;
	margin: number;
	text: string;
}

/**
 * Places the new lines of a rewrite in a column. `beside` has the lines that can carry a row, in order: those of the change,
 * then lines below it. The last row says how many lines are not shown.
 */
export function columnRows(column: readonly string[], beside: readonly string[], tabSize: number): Row[] {
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

/** Draws the lines i to a of the old text as replaced by the lines j to b of the new one. */
function block(drawn: Drawing, old: string[], i: number, a: number, now: string[], j: number, b: number): void {
	for (const [p, q] of [...pairs(old.slice(i, a), now.slice(j, b)), undefined].map((pair) => (pair ? [i + pair[0], j + pair[1]] as const : [a, b] as const))) {
		replaced(drawn, i, p, now.slice(j, q));
		if (p < a) {
			drawn.edited.push({ line: p, edits: lineEdit(old[p] ?? '', now[q] ?? '').edits });
		}
		[i, j] = [p + 1, q + 1];
	}
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

/** Pairs the lines of a block that are edits of each other: in order, with the highest total similarity. */
function pairs(old: string[], now: string[]): [number, number][] {
	const n = old.length, m = now.length;
	if (n * m === 0 || n * m > mostPairs) {
		return [];
	}
	const width = m + 1, best = new Float64Array((n + 1) * width), fits = new Float64Array(n * m);
	const cell = (i: number, j: number) => best[i * width + j] ?? 0;
	const fit = (i: number, j: number) => fits[i * m + j] ?? 0;
	for (let i = n - 1; i >= 0; i--) {
		for (let j = m - 1; j >= 0; j--) {
			const { similarity, edits } = lineEdit(old[i] ?? '', now[j] ?? '');
			fits[i * m + j] = similarity >= similar && edits.length <= mostEdits ? similarity : 0;
			best[i * width + j] = Math.max(cell(i + 1, j), cell(i, j + 1), fit(i, j) > 0 ? cell(i + 1, j + 1) + fit(i, j) : 0);
		}
	}
	const found: [number, number][] = [];
	for (let i = 0, j = 0; i < n && j < m;) {
		if (fit(i, j) > 0 && cell(i, j) === cell(i + 1, j + 1) + fit(i, j)) {
			found.push([i++, j++]);
		} else if (cell(i, j) === cell(i + 1, j)) {
			i++;
		} else {
			j++;
		}
	}
	return found;
}
