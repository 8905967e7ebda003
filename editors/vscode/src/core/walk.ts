/** Going from one proposed change to the next, over files, round at the end. */

export interface Place {
	uri: string;
	plan: number;
	hunk: string;
	line: number;
	/** The last line that it touches. */
	last: number;
}

/** The places in the order in which they are walked: by file in the order given, then by line. */
export function inOrder(places: Place[], files: string[]): Place[] {
	const rank = new Map(files.map((uri, i) => [uri, i]));
	const of = (p: Place) => rank.get(p.uri) ?? files.length;
	return [...places].sort((a, b) => of(a) - of(b) || (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0) || a.line - b.line);
}

/** The place after (or before) a position, undefined if there is none at all. Places must be in order. */
export function step(places: Place[], from: { uri: string; line: number } | undefined, forward: boolean): Place | undefined {
	if (places.length === 0) {
		return undefined;
	}
	const first = forward ? places[0] : places[places.length - 1];
	if (!from) {
		return first;
	}
	const here = places.filter((p) => p.uri === from.uri);
	const next = forward ? here.find((p) => p.line > from.line) : here.findLast((p) => p.line < from.line && p.last < from.line);
	if (next) {
		return next;
	}
	const edge = forward ? here[here.length - 1] : here[0];
	if (!edge) {
		return first; // this file has none: begin with the first of all
	}
	const i = places.indexOf(edge) + (forward ? 1 : -1);
	return places[(i + places.length) % places.length];
}

/** The place at a position, undefined if there is none. */
export function at(places: Place[], uri: string, line: number): Place | undefined {
	return places.find((p) => p.uri === uri && p.line <= line && line <= p.last);
}

/** A hunk as the server tells it, for finding it in the proposed text. */
export interface Staged {
	id: string;
	status: string;
	range: { start: { line: number }; end: { line: number } };
	added: number;
	removed: number;
}

/**
 * The hunk at a line of the proposed text, which is the live text with every pending hunk in it; stale ones are left
 * out there. A hunk that only removes lines is found at the line that follows.
 */
export function inProposed<H extends Staged>(hunks: H[], line: number): H | undefined {
	let shift = 0;
	for (const hunk of hunks) {
		if (hunk.status !== 'pending') {
			continue;
		}
		const start = hunk.range.start.line + shift;
		if (line >= start && line < start + Math.max(hunk.added, 1)) {
			return hunk;
		}
		shift += hunk.added - hunk.removed;
	}
	return undefined;
}
