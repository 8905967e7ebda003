// What the page says of a plan, in words.
import { count } from './element';
import type { Counts } from './decisions';
import type { Answer, File, Hunk, Plan, Row, Trial } from './types';

const states: Record<string, string> = {
	awaiting_approval: 'waits for your approval', reviewing: 'waits for your decision', executing: 'is being carried out', drafting: 'is being made',
	completed: 'is completed', cancelled: 'is cancelled', failed: 'has failed: approve it again to resume',
};

export const stateOf = ({ state }: Plan): string => states[state] ?? state.replaceAll('_', ' ');

/** Who made a revision. */
/** Says what a rework came to that made no revision. */
export function replied({ state, text }: { state: string; text: string }): string {
	switch (state) {
	case 'failed': return `The rework has failed: ${text}`;
	case 'cancelled': return 'The rework was cancelled.';
	case 'waiting': return `The model asks: ${text}`;
	default: return text === '' ? 'The rework has changed nothing.' : `The rework has changed nothing. The model says: ${text}`;
	}
}

export function maker(by: string): string {
	return by === 'model' ? 'the model' : by === 'user' ? 'you' : by;
}

const actions: Record<string, [string, string]> = { create: ['A', 'new file'], update: ['M', 'changed'], rename: ['R', 'renamed'], delete: ['D', 'deleted'] };

/** The letter and the word for what happens to a file. */
export const actionOf = ({ action }: File): [string, string] => actions[action] ?? ['?', action];

export function modeOf(mode: string): string {
	return mode === '0755' ? 'executable (0755)' : `mode ${mode}`;
}

const statuses: Record<string, string> = {
	pending: 'undecided', applying: 'being applied', approved: 'approved, not applied yet', applied: 'applied', rejected: 'rejected', stale: 'stale', failed: 'failed', unverified: 'not verified',
	waiting_for_save: 'runs once the files are saved', running: 'running', succeeded: 'succeeded', skipped: 'skipped', completed: 'done', in_progress: 'in progress',
};

export const statusOf = (status: string): string => statuses[status] ?? status.replaceAll('_', ' ');

/** Where a hunk is: "lines 3–7". */
export function place(hunk: Hunk): string {
	const own = hunk.rows.filter(({ k }) => k !== 'same');
	const range = (numbers: number[]): string => {
		const [first, last] = [numbers[0] ?? 0, numbers.at(-1) ?? 0];
		return first === last ? `line ${first}` : `lines ${first}–${last}`;
	};
	const added = own.filter(({ k }) => k === 'added').map((row: Row) => row.new ?? 0);
	const removed = own.filter(({ k }) => k === 'removed').map((row: Row) => row.old ?? 0);
	return added.length > 0 ? range(added) : removed.length > 0 ? `old ${range(removed)}` : hunk.at === undefined ? '' : `line ${hunk.at}`;
}

export function plusMinus({ added, removed }: { added: number; removed: number }): string {
	return `+${added} −${removed}`;
}

/** "2 approved, 1 rejected, 5 undecided". */
export function decided({ approved, rejected, undecided, stale }: Counts): string {
	const parts = [[approved, 'approved'], [rejected, 'rejected'], [undecided, 'undecided'], [stale, 'stale']] as const;
	return parts.filter(([n]) => n > 0).map(([n, word]) => `${n.toLocaleString('en')} ${word}`).join(', ') || 'nothing to decide';
}

/** The trials to show: those that are marked, or else all. */
export function shownTrials(plan: Plan): Trial[] {
	const trials = plan.trials ?? [];
	const marked = trials.filter(({ shown }) => shown === true);
	return marked.length > 0 ? marked : trials;
}

/** How a verdict is drawn. */
export function toneOf(verdict: string): 'good' | 'bad' | 'plain' {
	return verdict === 'passed' ? 'good' : verdict === 'fails_now' || verdict === 'failed' ? 'bad' : 'plain';
}

export function seconds(ms: number): string {
	return ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`;
}

/** The size of a plan: "2 files, +5 −1". */
export function size({ view }: Answer): string {
	const added = view.files.reduce((sum, file) => sum + file.added, 0), removed = view.files.reduce((sum, file) => sum + file.removed, 0);
	return `${count(view.files.length, 'file')}, ${plusMinus({ added, removed })}`;
}
