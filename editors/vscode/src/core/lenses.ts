import type { Scope } from '../protocol';

/** A code lens of the server: a command with its argument. */
export interface Lens {
	line: number;
	title: string;
	command: string;
	argument: unknown;
}

/** The decisions that a lens can make on a change. */
export type Verdict = 'approve' | 'reject';

const decisions: Record<string, Verdict> = { 'redline.approve': 'approve', 'redline.reject': 'reject' };

/** A change as its row above the text names it: which of how many, and its size. */
export interface Named {
	number: string;
	added: number;
	removed: number;
}

/**
 * Makes the row above each change of the server's lenses: which change it is and its size, *Approve*, *Reject*, and once on
 * the line the way to the changes beside it, *Peek* and *Compare*. The server's full titles are for editors that list lenses.
 * Lenses on a file or a plan keep their titles. editedTo returns the revision that a save makes of what the user edits in the
 * plan of a change, or undefined: nothing of that plan can be approved before.
 */
export function rows<L extends Lens>(lenses: readonly L[], nameOf: (change: Scope) => Named | undefined, editedTo: (change: Scope) => number | undefined = () => undefined): L[] {
	const last = new Map<number, L>(); // the last one of a change on each line
	for (const lens of lenses) {
		if (ofHunk(lens)) {
			last.set(lens.line, lens);
		}
	}
	const made: L[] = [];
	const begun = new Set<string>();
	for (const lens of lenses) {
		const scope = ofHunk(lens), verdict = decisions[lens.command];
		if (!scope || !verdict) {
			if (lens.command !== 'redline.show' || lens.line === 0 || !last.has(lens.line)) {
				made.push(lens);
			}
			continue;
		}
		const named = nameOf(scope), key = `${lens.line} ${scope.plan} ${scope.hunk ?? ''}`;
		if (named && !begun.has(key)) {
			made.push({ ...lens, title: `${named.number}: ${sizeOf(named)}`, command: '', argument: scope });
		}
		begun.add(key);
		const revision = verdict === 'approve' ? editedTo(scope) : undefined;
		made.push(revision !== undefined ? { ...lens, title: `Save to make revision ${revision}`, command: 'redline.ui.saveProposed', argument: scope.plan }
			: { ...lens, title: lens.title.replace(/ change( \S+)?$/, named ? '' : '$1'), command: 'redline.ui.decide', argument: { verdict, scope } });
		if (last.get(lens.line) === lens) {
			made.push(...ways.map(([title, command]) => ({ ...lens, title, command, argument: scope })));
		}
	}
	return made;
}

const ways = [['‹', 'redline.ui.previous'], ['›', 'redline.ui.next'], ['Peek', 'redline.ui.peekChange'], ['Compare', 'redline.ui.compareChange']] as const;

/** Returns the size of a change in few words: “+8 −7”. */
export const sizeOf = ({ added, removed }: { added: number; removed: number }): string =>
	[...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ');

/** Returns what a lens of a row does, for its tooltip and for readers of the screen. name is “change 2 of 6”. */
export function help(title: string, name: string): string {
	switch (title) {
		case '‹':
			return `Previous change, before ${name}`;
		case '›':
			return `Next change, after ${name}`;
		case 'Peek':
			return `Peek at the new text of ${name}`;
		case 'Compare':
			return `Compare ${name} with your text`;
		default:
			return `${title} ${name}`;
	}
}

/** Returns the change that a lens decides on, or undefined. */
function ofHunk({ command, argument }: Lens): Scope | undefined {
	const scope = argument as Partial<Scope> | undefined;
	return command in decisions && typeof scope?.plan === 'number' && typeof scope.hunk === 'string' ? (scope as Scope) : undefined;
}
