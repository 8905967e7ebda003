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
	return drawn;
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
