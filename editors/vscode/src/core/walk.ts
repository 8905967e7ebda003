import type { Plan } from '../protocol';

/** Goes from one proposed change to the next, through all files, and wraps around. */

export interface Place {
	uri: string;
	plan: number;
	hunk: string;
	line: number;
	/** The last line that it touches. */
	last: number;
}

/** Sorts places by file, in the order given, then by line. */
export function inOrder(places: Place[], files: string[]): Place[] {
	const rank = new Map(files.map((uri, i) => [uri, i]));
	const of = (p: Place) => rank.get(p.uri) ?? files.length;
	return [...places].sort((a, b) => of(a) - of(b) || (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0) || a.line - b.line);
}

/** Returns the place after (or before) a position, or undefined if there are none. Places must be in order. */
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
		return first; // this file has no places: begin with the first of all
	}
	const i = places.indexOf(edge) + (forward ? 1 : -1);
	return places[(i + places.length) % places.length];
}

/** Returns the place at a position, or undefined. */
export function at(places: Place[], uri: string, line: number): Place | undefined {
	return places.find((p) => p.uri === uri && p.line <= line && line <= p.last);
}

/** The part of a hunk that locates it in the proposed text. */
export interface Staged {
	id: string;
	status: string;
	range: { start: { line: number }; end: { line: number } };
	added: number;
	removed: number;
}

/** A hunk with its place in the proposed text. */
export interface Proposed<H> {
	hunk: H;
	line: number;
	/** Its last line; for a hunk that only removes lines, the line after them. */
	last: number;
}

/**
 * Locates the pending hunks of a file in the proposed text, which is the live text with all of them applied. Stale hunks
 * are not in it.
 */
export function proposed<H extends Staged>(hunks: readonly H[]): Proposed<H>[] {
	const found: Proposed<H>[] = [];
	let shift = 0;
	for (const hunk of hunks) {
		if (hunk.status === 'pending') {
			const line = hunk.range.start.line + shift;
			found.push({ hunk, line, last: line + Math.max(hunk.added, 1) - 1 });
			shift += hunk.added - hunk.removed;
		}
	}
	return found;
}

/** Returns the hunk at a line of the proposed text. */
export const inProposed = <H extends Staged>(hunks: readonly H[], line: number): H | undefined =>
	proposed(hunks).find((p) => p.line <= line && line <= p.last)?.hunk;

/** Converts a line of the live text to the proposed text; a line in a hunk becomes the hunk's first. */
export function toProposed(hunks: readonly Staged[], line: number): number {
	let shift = 0;
	for (const hunk of hunks) {
		const { start, end } = hunk.range;
		if (hunk.status !== 'pending' || start.line > line) {
			continue;
		}
		if (line < end.line) {
			return start.line + shift;
		}
		shift += hunk.added - hunk.removed;
	}
	return line + shift;
}

/** Returns the places of a plan's pending hunks in the proposed texts, in order. A place's uri is the path of its file. */
export const proposedPlaces = (plan: Plan): Place[] =>
	plan.files.flatMap((file) => proposed(file.hunks).map(({ hunk, line, last }) => ({ uri: file.path, plan: plan.plan, hunk: hunk.id, line, last })));

/** Returns the pending hunk after a decided one, or else the first of the plan; undefined if none is left. */
export function afterDecided(plan: Plan, path: string, hunk: string | undefined): Place | undefined {
	const places = proposedPlaces(plan);
	const order = plan.files.flatMap((file) => [...file.hunks.map((h) => `${file.path} ${h.id}`), file.path]);
	const rank = (name: string) => order.indexOf(name);
	const decided = rank(hunk === undefined ? path : `${path} ${hunk}`);
	return places.find((p) => rank(`${p.uri} ${p.hunk}`) > decided) ?? places[0];
}
