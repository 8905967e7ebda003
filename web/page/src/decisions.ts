// What the user has decided so far. Nothing is sent before the end, so all of it can be taken back.
import { changed } from './rows';
import type { Answer, Command, Decision, File, Hunk } from './types';

export type Choice = 'approve' | 'reject';

/** What is decided on as one: a hunk with those that share its rows, a whole file, or a plan in words. */
export interface Unit {
	key: string;
	file?: File;
	hunk?: Hunk;
	stale: boolean;
	rows: string; // what is shown of it: a choice holds only while this is the same
}

export interface Counts { approved: number; rejected: number; undecided: number; stale: number }

/** Returns what can be decided on in a file. */
export function unitsOf(file: File): Unit[] {
	if (file.whole === true || file.hunks.length === 0) {
		if (file.status !== 'pending' && file.status !== 'stale') {
			return [];
		}
		return [{ key: `file ${file.id}`, file, stale: file.status === 'stale', rows: JSON.stringify([file.from, file.path, file.action, file.mode, file.hunks.map((hunk) => [hunk.id, shown(hunk)])]) }]; // an id stays with its text, also where no lines were sent
	}
	return file.hunks.filter(({ status }) => status === 'pending' || status === 'stale')
		.map((hunk) => ({ key: `hunk ${hunk.id}`, file, hunk, stale: hunk.status === 'stale', rows: shown(hunk) }));
}

const shown = (hunk: Hunk): string => JSON.stringify([hunk.also ?? [], changed(hunk).map(({ k, text, end }) => [k, text, end])]);

/** Reports whether a unit can be approved: it is not stale, and its lines were sent. */
export const mayApprove = ({ file, stale }: Unit): boolean => !stale && file?.large !== true;

/** Reports whether a command waits for a decision. */
export const isOpen = (command: Command): boolean => command.status === 'pending';

export class Decisions {
	/** What can be decided on, in the order of the page. */
	units = new Map<string, Unit>();
	private plan: Answer['plan'];
	private may = true; // whether anything can be approved on this page
	private readonly chosen = new Map<string, Choice>();

	constructor(answer: Answer) {
		this.plan = answer.plan;
		this.follow(answer);
	}

	/**
	 * Takes over a newer state of the plan. A choice stays where the user would see the same again; the others are dropped,
	 * and the number of those that are not just being sent is returned.
	 */
	follow({ plan, view, canApprove }: Answer): number {
		const before = this.units;
		this.plan = plan;
		this.may = canApprove !== false;
		this.units = new Map(view.files.flatMap(unitsOf).map((unit) => [unit.key, unit]));
		if (plan.textOnly === true && view.files.length === 0) {
			this.units.set('plan', { key: 'plan', stale: false, rows: plan.hash });
		}
		const commands = new Map((plan.commands ?? []).filter(isOpen).map((command) => [`command ${command.id}`, commandText(command)]));
		let dropped = 0;
		for (const [key, choice] of this.chosen) {
			const unit = this.units.get(key);
			if ((choice === 'approve' && !this.may) || (unit !== undefined ? (choice === 'approve' && !mayApprove(unit)) || unit.rows !== before.get(key)?.rows : commands.get(key) !== this.commands.get(key) || !commands.has(key))) {
				this.chosen.delete(key);
				dropped += this.sending.get(key) === choice ? 0 : 1;
			}
		}
		this.commands = commands;
		return dropped;
	}

	private commands = new Map<string, string>();

	/** Returns the choice for a unit or a command, by its key. */
	of(key: string): Choice | undefined {
		return this.chosen.get(key);
	}

	/**
	 * Notes a choice, or takes it back. What is stale, or was not shown, can only be rejected, and so can everything if the
	 * user's rules refuse approvals here. It reports whether something changed.
	 */
	choose(key: string, choice: Choice | undefined): boolean {
		const unit = this.units.get(key);
		if ((unit === undefined && !this.commands.has(key)) || (choice === 'approve' && (!this.may || (unit !== undefined && !mayApprove(unit)))) || this.of(key) === choice) {
			return false;
		}
		if (choice === undefined) {
			this.chosen.delete(key);
		} else {
			this.chosen.set(key, choice);
		}
		return true;
	}

	counts(units: Iterable<Unit> = this.units.values()): Counts {
		const all = { approved: 0, rejected: 0, undecided: 0, stale: 0 };
		for (const { key, stale } of units) {
			const choice = this.of(key);
			all[choice === 'approve' ? 'approved' : choice === 'reject' ? 'rejected' : stale ? 'stale' : 'undecided']++;
		}
		return all;
	}

	/** Reports whether there is something to send. */
	get any(): boolean {
		return this.chosen.size > 0;
	}

	/** How many commands are to run, and how many are not. */
	get ofCommands(): { run: number; drop: number; open: number } {
		const chosen = [...this.commands.keys()].map((key) => this.of(key));
		const run = chosen.filter((choice) => choice === 'approve').length, drop = chosen.filter((choice) => choice === 'reject').length;
		return { run, drop, open: chosen.length - run - drop };
	}

	/** Returns the decision as the server takes it. */
	body(reason = ''): Decision {
		const decision: Decision = { revision: this.plan.revision, hash: this.plan.hash, approve: { hunks: [], files: [] }, reject: { hunks: [], files: [] }, run: [], drop: [] };
		for (const { key, file, hunk } of this.units.values()) {
			const choice = this.of(key);
			if (choice === undefined) {
				continue;
			}
			if (hunk !== undefined) {
				decision[choice].hunks.push(hunk.id, ...hunk.also ?? []);
			} else if (file !== undefined) {
				decision[choice].files.push(file.id);
			} else {
				decision[choice].plan = true;
			}
		}
		for (const key of this.commands.keys()) {
			const choice = this.of(key);
			if (choice !== undefined) {
				decision[choice === 'approve' ? 'run' : 'drop'].push(key.slice('command '.length));
			}
		}
		return reason === '' ? decision : { ...decision, reason };
	}

	private sending: ReadonlyMap<string, Choice> = new Map();

	/** Sends the choices of now, and then forgets them. What the user chooses meanwhile stays. */
	async send<T>(decide: () => Promise<T>): Promise<T> {
		const sending = new Map(this.chosen);
		this.sending = sending;
		try {
			const answer = await decide();
			for (const [key, choice] of sending) {
				if (this.of(key) === choice) {
					this.chosen.delete(key);
				}
			}
			return answer;
		} finally {
			this.sending = new Map();
		}
	}

	/** Returns the choices as text, for a page that is loaded again. */
	kept(): string {
		return JSON.stringify([this.plan.hash, [...this.chosen]]);
	}

	/** Takes choices that kept has returned, if they are about the same hash. */
	restore(kept: string | null): void {
		try {
			const [hash, chosen] = JSON.parse(kept ?? '[]') as [string?, [string, string][]?];
			for (const [key, choice] of hash === this.plan.hash ? chosen ?? [] : []) {
				if (choice === 'approve' || choice === 'reject') {
					this.choose(key, choice);
				}
			}
		} catch { /* what another version has kept */ }
	}
}

const commandText = ({ command, cwd }: Command): string => JSON.stringify([cwd, command]);
