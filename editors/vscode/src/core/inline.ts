import { common } from './common';
import { lineEdit, type Edit } from './words';

/** How a proposed change is drawn in the text that it is proposed for. Lines count from the first one that it replaces. */
export interface Drawing {
	/** Lines that go as a whole. */
	gone: number[];
	/** Lines of which words go or come. */
	edited: { line: number; edits: Edit[] }[];
	/** Lines that come, at the end of a line that is there; -1 is the line above the change. */
	come: Come[];
	/** How many of the lines that come are not drawn. */
	hidden: number;
}

/** The first of some lines that come. */
export interface Come {
	line: number;
	text: string;
	/** How many lines come after it that are not drawn. */
	more: number;
	/** It takes the place of the line at whose end it is drawn; else it comes below that. */
	instead: boolean;
}

/** Lines that are as similar as this are the same line with other words in it. */
const similar = 0.5;
/** More edits in a line than this are no longer read at a glance. */
const mostEdits = 6;
/** Changes of more lines are not compared line by line. */
const mostLines = 400;
/** How many pairs of lines of a block are compared. */
const mostPairs = 900;

/** The lines of a text, without their ends. */
export function linesOf(text: string): string[] {
	const lines = text.split(/\r\n|\r|\n/);
	if (lines.at(-1) === '') {
		lines.pop();
	}
	return lines;
}

/** Works out how to draw the change of one text to another, both of whole lines. */
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

/** Draws lines that have nothing in common: each that goes has one that comes at its end, the last one also the first of those that are left. */
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

/** Which lines of a block are the same with other words in them: in order, and as similar as can be. */
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
