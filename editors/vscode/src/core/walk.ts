import type { Plan } from '../protocol';

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

/** Where a hunk is in the proposed text. */
export interface Proposed<H> {
	hunk: H;
	line: number;
	/** The last line that it has; of one that only removes lines, the line that follows. */
	last: number;
}

/**
 * Where the pending hunks of a file are in the proposed text, which is the live text with each of them in it; stale ones
 * are left out there.
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

/** The hunk at a line of the proposed text. */
export const inProposed = <H extends Staged>(hunks: readonly H[], line: number): H | undefined =>
	proposed(hunks).find((p) => p.line <= line && line <= p.last)?.hunk;

/** The line of the proposed text that a line of the live text is at; in a hunk it is the hunk's first. */
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

/** The pending hunks of a plan where they are in the proposed texts, in order; a place's uri is the path of its file. */
export const proposedPlaces = (plan: Plan): Place[] =>
	plan.files.flatMap((file) => proposed(file.hunks).map(({ hunk, line, last }) => ({ uri: file.path, plan: plan.plan, hunk: hunk.id, line, last })));

/** The pending hunk of a plan that comes after one that was decided, or the first of all; undefined if none is left. */
export function afterDecided(plan: Plan, path: string, hunk: string | undefined): Place | undefined {
	const places = proposedPlaces(plan);
	const order = plan.files.flatMap((file) => [...file.hunks.map((h) => `${file.path} ${h.id}`), file.path]);
	const rank = (name: string) => order.indexOf(name);
	const decided = rank(hunk === undefined ? path : `${path} ${hunk}`);
	return places.find((p) => rank(`${p.uri} ${p.hunk}`) > decided) ?? places[0];
}
