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

/**
 * Shortens the lenses of a document: on a change *Approve*, *Reject* and *Compare*, instead of the full titles that are for
 * editors that list lenses. Where several changes begin on one line, the titles have their sizes, if known. Lenses on a
 * file or a plan keep their titles.
 */
export function shortened<L extends Lens>(lenses: readonly L[], sizeOf: (change: Scope) => { added: number; removed: number } | undefined): L[] {
	const changes = new Map<number, Scope>(); // the last one on each line
	for (const lens of lenses) {
		const scope = ofHunk(lens);
		if (scope) {
			changes.set(lens.line, scope);
		}
	}
	return lenses.map((lens) => {
		const scope = ofHunk(lens), verdict = decisions[lens.command], here = changes.get(lens.line);
		if (scope && verdict) {
			const size = sizeOf(scope);
			const title = lens.title.replace(/ change$/, '').replace(/ change \S+$/, (name) => (size ? ` (${inFew(size)})` : name));
			return { ...lens, title, command: 'redline.ui.decide', argument: { verdict, scope } };
		}
		if (lens.command === 'redline.show' && lens.line > 0 && here) {
			return { ...lens, title: 'Compare', command: 'redline.ui.compareChange', argument: here };
		}
		return lens;
	});
}

const inFew = ({ added, removed }: { added: number; removed: number }): string =>
	[...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ');

/** Returns the change that a lens decides on, or undefined. */
function ofHunk({ command, argument }: Lens): Scope | undefined {
	const scope = argument as Partial<Scope> | undefined;
	return command in decisions && typeof scope?.plan === 'number' && typeof scope.hunk === 'string' ? (scope as Scope) : undefined;
}
