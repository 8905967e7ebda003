import type { CommandRun, FileChange, Hunk, Plan } from '../protocol';

/** Properties of a plan. The states are those of the server's state table. */

const decidableStates = new Set(['awaiting_approval', 'reviewing', 'failed']);
const openStates = new Set(['drafting', 'awaiting_approval', 'reviewing', 'executing', 'failed']);

/** Reports whether the user can decide on the plan, or on parts of it. */
export const isDecidable = (plan: Plan): boolean => decidableStates.has(plan.state);

/** Reports whether the plan is neither completed nor cancelled. */
export const isOpen = (plan: Plan): boolean => openStates.has(plan.state);

/** Reports whether the plan is decided: everything in it is approved or rejected. */
export const isDecided = (plan: Plan): boolean => plan.state === 'completed' || plan.state === 'cancelled';

/** Reports whether the hunk waits for the user. A stale one can only be rejected. */
export const hunkWaits = (hunk: Hunk): boolean => hunk.status === 'pending' || hunk.status === 'stale';

/** Reports whether something in the file waits for the user. A file that is only moved has no hunks. */
export const fileWaits = (file: FileChange): boolean =>
	file.hunks.some(hunkWaits) || (file.hunks.length === 0 && (file.status === 'pending' || file.status === 'stale'));

/** Reports whether something in the file is applied. */
export const fileApplied = (file: FileChange): boolean =>
	file.status === 'applied' || file.hunks.some((hunk) => hunk.status === 'applied');

/** Reports whether the plan can be undone. Its files do not tell: what is applied may belong to an earlier revision. */
export const canUndo = (plan: Plan): boolean => plan.undoable === true;

/** Reports whether the user has decided on the plan or a part of it. */
export const hasDecision = (plan: Plan): boolean =>
	plan.state === 'completed' || plan.state === 'cancelled' || plan.files.some((file) => fileApplied(file) || file.status === 'rejected' || file.hunks.some((hunk) => hunk.status === 'rejected'));

/** Returns how many changes of the plan wait for the user; a file that is only moved or deleted is one. */
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

/** Returns how many changes are stale. */
export const stale = (plan: Plan): number =>
	plan.files.reduce((sum, file) => sum + file.hunks.filter((hunk) => hunk.status === 'stale').length, 0);

export const pendingCommands = (plan: Plan): number =>
	isDecidable(plan) ? plan.commands.filter((command) => command.status === 'pending').length : 0;

/** Returns a command as it is shown: its folder first, so that a long line cannot hide it. */
export function commandLine(command: { command: string; cwd?: string }): string {
	if (!command.cwd) {
		return command.command;
	}
	return `in ${/^[\p{L}\p{N}_./@+-]+$/u.test(command.cwd) ? command.cwd : JSON.stringify(command.cwd)}: ${command.command}`;
}

/** Returns the commands that run if the plan is approved with its commands. */
export const runnable = (plan: Plan): CommandRun[] =>
	isDecidable(plan) ? plan.commands.filter((command) => !['succeeded', 'rejected', 'running'].includes(command.status)) : [];

/** Reports whether something can be approved: changes, commands, or a plan in words. */
export const approvable = (plan: Plan): boolean =>
	isDecidable(plan) && (waiting(plan) > stale(plan) || pendingCommands(plan) > 0 || plan.textOnly === true);

/** Returns a number with its noun: “1 file”, “3 files”. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const isRejected = (file: FileChange): boolean =>
	file.status === 'rejected' || (file.hunks.length > 0 && file.hunks.every((hunk) => hunk.status === 'rejected'));

/** Returns how many lines a file gains and loses by what was not rejected. One that was rejected as a whole keeps its size. */
export function sizeOfFile(file: FileChange): { added: number; removed: number } {
	const counted = file.hunks.filter((hunk) => hunk.status !== 'rejected');
	return counted.length === 0 || counted.length === file.hunks.length ? file : sum(counted);
}

/** Returns the size of a plan, without what was rejected of it: “2 files, +3 −1”. */
export function extent(files: FileChange[]): string {
	const left = files.filter((file) => !isRejected(file)), counted = left.length > 0 ? left : files;
	const { added, removed } = sum(counted.map(sizeOfFile));
	return `${count(counted.length, 'file')}, +${added} −${removed}`;
}

/** Returns what an undo takes back: “1 file, +3 −1”; undefined if that is of an earlier revision. */
export function applied(plan: Plan): string | undefined {
	const files = plan.files.filter(fileApplied);
	const { added, removed } = sum(files.map((file) => (file.status === 'applied' && file.hunks.length === 0 ? file : sum(file.hunks.filter((hunk) => hunk.status === 'applied')))));
	return files.length === 0 ? undefined : `${count(files.length, 'file')}, +${added} −${removed}`;
}

function sum(sizes: readonly { added: number; removed: number }[]): { added: number; removed: number } {
	return { added: sizes.reduce((n, size) => n + size.added, 0), removed: sizes.reduce((n, size) => n + size.removed, 0) };
}

/** Returns the state to show: a plan of which everything was rejected is not done, it is rejected. */
export function shownState(plan: Plan): string {
	const refused = plan.state === 'completed' && plan.files.length + plan.commands.length > 0
		&& plan.files.every(isRejected) && plan.commands.every((command) => command.status === 'rejected' || command.status === 'skipped');
	return refused ? 'rejected' : plan.state;
}

/** Returns a plan's state in words. */
export function stateName(plan: Plan): string {
	switch (plan.state) {
		case 'awaiting_approval':
			return 'waits for you';
		case 'reviewing':
			return 'in review';
		case 'executing':
			return 'being applied';
		default:
			return shownState(plan);
	}
}

/** Returns the files in a comparison of the whole plan: all but rejected creations and deletions. */
export const compared = (plan: Plan): FileChange[] =>
	plan.files.filter((file) => file.status !== 'rejected' || (file.action !== 'create' && file.action !== 'delete'));

/** Reports whether an open comparison of a plan has other files than it would have now. The texts update by themselves. */
export function isOutdated(opened: Plan, now: Plan): boolean {
	const names = (plan: Plan) => JSON.stringify(compared(plan).map((file) => [file.path, file.newPath, file.action, file.uri]));
	const taken = opened.files.filter((file) => file.action === 'create' && file.status === 'applied').map((file) => file.path);
	return names(opened) !== names(now) || now.files.some((file) => taken.includes(file.path) && file.status !== 'applied');
}

/** Returns the plan and the revision of a preview file. Previews of a read-only workspace are outside of it. */
export function previewed(uri: string): [plan: string, revision: string] | undefined {
	const [, plan, revision] = /\/(?:\.redline|previews\/[0-9a-f]+)\/plans\/0*(\d+)-r(\d+)\.md$/.exec(uri) ?? [];
	return plan !== undefined && revision !== undefined ? [plan, revision] : undefined;
}

/** Returns the name of a change in its plan, as the server has it: “change 2 of 4”; "" if there is no such change. */
export function changeName(plan: Plan, path: string | undefined, hunk: string | undefined): string {
	const all = plan.files.flatMap((file) => file.hunks.map((h) => file.path === path && h.id === hunk));
	const i = all.indexOf(true);
	return i < 0 ? '' : `change ${i + 1} of ${all.length}`;
}
