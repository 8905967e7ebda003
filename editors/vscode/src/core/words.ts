import { common } from './common';

/** A removed part of a line, and its replacement; either may be empty. */
export interface Edit {
	start: number;
	end: number;
	text: string;
}

/** The difference between two lines. */
export interface LineEdit {
	edits: Edit[];
	/** How much of the line stays, from 0 to 1: a line that only grows is still the same line. */
	similarity: number;
}

const token = /[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;

/** The longest line that is compared word by word. */
const longest = 2000;

/** Lines with fewer common letters are similar only if they are equal. */
const fewest = 3;

/** Compares two lines word by word. */
export function lineEdit(before: string, after: string): LineEdit {
	if (before.length > longest || after.length > longest) {
		return { edits: [{ start: 0, end: before.length, text: after }], similarity: 0 };
	}
	const old = before.match(token) ?? [], now = after.match(token) ?? [];
	const edits: Edit[] = [];
	let i = 0, j = 0, at = 0, same = 0;
	for (const [a, b] of [...common(old, now), [old.length, now.length] as const]) {
		const gone = old.slice(i, a).join(''), come = now.slice(j, b).join('');
		if (gone !== '' || come !== '') {
			edits.push({ start: at, end: at + gone.length, text: come });
		}
		const kept = old[a] ?? '';
		at += gone.length + kept.length;
		same += kept.trim().length;
		[i, j] = [a + 1, b + 1];
	}
	return { edits: joined(before, edits), similarity: likeness(before, after, same) };
}

/** Returns the similarity of two lines with a number of common letters. */
function likeness(before: string, after: string, same: number): number {
	const letters = (line: string) => line.replace(/\s+/g, '').length;
	const old = letters(before), now = letters(after);
	if (old === 0 || now === 0) {
		return old === now ? 1 : 0;
	}
	if (same < fewest && old !== now) {
		return 0; // a brace is in many lines
	}
	const moved = /^\s*/.exec(before)?.[0] !== /^\s*/.exec(after)?.[0];
	return ((0.75 * same) / old + (0.5 * same) / (old + now)) * (moved ? 0.9 : 1);
}

/** Joins edits with only spaces between them, which is easier to read. */
function joined(line: string, edits: Edit[]): Edit[] {
	const all: Edit[] = [];
	for (const edit of edits) {
		const last = all.at(-1);
		const between = last && line.slice(last.end, edit.start);
		if (last && between !== undefined && between.trim() === '') {
			last.text += between + edit.text;
			last.end = edit.end;
		} else {
			all.push({ ...edit });
		}
	}
	return all;
}
