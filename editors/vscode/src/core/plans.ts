import type { CommandRun, FileChange, Hunk, Plan } from '../protocol';

/** What can be read off a plan. The words are those of the server's state table. */

const decidableStates = new Set(['awaiting_approval', 'reviewing', 'failed']);
const openStates = new Set(['drafting', 'awaiting_approval', 'reviewing', 'executing', 'failed']);

/** The user can decide on the plan, or on parts of it, now. */
export const isDecidable = (plan: Plan): boolean => decidableStates.has(plan.state);

/** The plan is not completed and not cancelled. */
export const isOpen = (plan: Plan): boolean => openStates.has(plan.state);

/** The hunk waits for the user: it may be stale, and can then only be rejected. */
export const hunkWaits = (hunk: Hunk): boolean => hunk.status === 'pending' || hunk.status === 'stale';

/** Something of the file waits for the user. A file that is only moved has no hunks. */
export const fileWaits = (file: FileChange): boolean =>
	file.hunks.some(hunkWaits) || (file.hunks.length === 0 && (file.status === 'pending' || file.status === 'stale'));

/** Something of the file is applied. */
export const fileApplied = (file: FileChange): boolean =>
	file.status === 'applied' || file.hunks.some((hunk) => hunk.status === 'applied');

/** Something of the plan is applied and can be taken back. Its files do not tell: an edit of its preview makes another revision. */
export const canUndo = (plan: Plan): boolean => plan.undoable === true;

/** How many changes of the plan wait for the user; a file that is only moved or deleted is one. */
export function waiting(plan: Plan): number {
	if (!isDecidable(plan)) {
		return 0;
	}
	let count = 0;
	for (const file of plan.files) {
		const hunks = file.hunks.filter(hunkWaits).length;
		count += hunks > 0 ? hunks : fileWaits(file) ? 1 : 0;
	}
	return count;
}

/** How many of the changes that wait do not fit any more. */
export const stale = (plan: Plan): number =>
	plan.files.reduce((sum, file) => sum + file.hunks.filter((hunk) => hunk.status === 'stale').length, 0);

export const pendingCommands = (plan: Plan): number =>
	isDecidable(plan) ? plan.commands.filter((command) => command.status === 'pending').length : 0;

/** A command as it is shown: its folder first, which no length of the line hides. */
export function commandLine(command: { command: string; cwd?: string }): string {
	if (!command.cwd) {
		return command.command;
	}
	return `in ${/^[\p{L}\p{N}_./@+-]+$/u.test(command.cwd) ? command.cwd : JSON.stringify(command.cwd)}: ${command.command}`;
}

/** The commands that an approval of the plan with its commands runs. */
export const runnable = (plan: Plan): CommandRun[] =>
	isDecidable(plan) ? plan.commands.filter((command) => !['succeeded', 'rejected', 'running'].includes(command.status)) : [];

/** Something is there to say yes to: changes, commands, or a plan in words. */
export const approvable = (plan: Plan): boolean =>
	isDecidable(plan) && (waiting(plan) > stale(plan) || pendingCommands(plan) > 0 || plan.textOnly === true);

/** “1 file”, “3 files”. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The size of a plan: “2 files, +3 −1”. */
export function extent(files: FileChange[]): string {
	const added = files.reduce((sum, file) => sum + file.added, 0);
	const removed = files.reduce((sum, file) => sum + file.removed, 0);
	return `${count(files.length, 'file')}, +${added} −${removed}`;
}

/** A plan's state in the words that users read. */
export function stateName(plan: Plan): string {
	switch (plan.state) {
		case 'awaiting_approval':
			return 'waits for you';
		case 'reviewing':
			return 'in review';
		case 'executing':
			return 'being applied';
		default:
			return plan.state;
	}
}

/** The files that a comparison of the whole plan has: of a creation or deletion that was rejected nothing is left to see. */
export const compared = (plan: Plan): FileChange[] =>
	plan.files.filter((file) => file.status !== 'rejected' || (file.action !== 'create' && file.action !== 'delete'));

/** Tells whether a comparison that was opened for a plan has other files than it would have now. The texts of its files follow by themselves. */
export function isOutdated(opened: Plan, now: Plan): boolean {
	const names = (plan: Plan) => JSON.stringify(compared(plan).map((file) => [file.path, file.newPath, file.action, file.uri]));
	const taken = opened.files.filter((file) => file.action === 'create' && file.status === 'applied').map((file) => file.path);
	return names(opened) !== names(now) || now.files.some((file) => taken.includes(file.path) && file.status !== 'applied');
}

/** The plan and the revision that a file previews: previews of a workspace that cannot be written are elsewhere. */
export function previewed(uri: string): [plan: string, revision: string] | undefined {
	const [, plan, revision] = /\/(?:\.redline|previews\/[0-9a-f]+)\/plans\/0*(\d+)-r(\d+)\.md$/.exec(uri) ?? [];
	return plan !== undefined && revision !== undefined ? [plan, revision] : undefined;
}

/** The name of a change in its plan, as the server gives it: “change 2 of 4”; "" if there is no such change. */
export function changeName(plan: Plan, path: string | undefined, hunk: string | undefined): string {
	const all = plan.files.flatMap((file) => file.hunks.map((h) => file.path === path && h.id === hunk));
	const i = all.indexOf(true);
	return i < 0 ? '' : `change ${i + 1} of ${all.length}`;
}
