import type { Event, Hunk, Outside, Plan, Range, Standing, State } from '../protocol';
import { Emitter } from './emitter';
import { hunkWaits, isOpen, waiting } from './plans';
import { noTrials } from './trials';

/** A running turn, and what it is doing. */
export interface Running {
	turn: string;
	request: string;
	doing: string;
}

/** Holds the plans and turns as last reported by the server. Everything shown comes from here. */
export class Board {
	/** Fires with a new or changed plan, or with undefined when all may have changed. */
	readonly changed = new Emitter<Plan | undefined>();
	/** Fires when a turn begins, makes progress or ends. */
	readonly worked = new Emitter<void>();

	/** Fires when standing changes. */
	readonly stood = new Emitter<void>();
	/** Whether trials are allowed. */
	standing: Standing = noTrials;

	/** The model in use; the provider is empty until the server has reported it. */
	model: State['model'] = { provider: '', name: '' };
	/** The outside agents that can do the work. */
	agents: readonly Outside[] = [];
	/** Fires when the model or the agents change. */
	readonly modelled = new Emitter<void>();

	/** What a running turn has staged so far: it cannot be decided on yet. */
	draft: Plan | undefined;
	/** Fires when a turn has staged something: the server's state has the draft. */
	readonly staged = new Emitter<void>();

	private readonly byNumber = new Map<number, Plan>();
	/** The revisions that are shown under the name of an earlier one, by plan and revision. */
	private readonly names = new Map<string, number>();
	private readonly turns = new Map<string, Running>();

	/** Returns all plans, newest first. */
	plans(): Plan[] {
		return [...this.byNumber.values()].sort((a, b) => b.plan - a.plan);
	}

	plan(number: number): Plan | undefined {
		return this.byNumber.get(number);
	}

	/** Returns the revision that names a plan's proposed texts: what the user saves of one stays in the same document. */
	shownAs({ plan, revision }: Plan): number {
		return this.names.get(`${plan}.${revision}`) ?? revision;
	}

	/** Keeps the name of the texts of a plan for a revision that the user has made of one. */
	show(plan: number, revision: number, as: number): void {
		this.names.set(`${plan}.${revision}`, as);
	}

	/** Returns the open plans, newest first. */
	open(): Plan[] {
		return this.plans().filter(isOpen);
	}

	/** Returns how many changes wait for the user in all plans. */
	waiting(): number {
		return this.plans().reduce((sum, plan) => sum + waiting(plan), 0);
	}

	running(): Running[] {
		return [...this.turns.values()];
	}

	/** Replaces everything by an answer of `redline.state`, but for the plans of which events have told since it was asked for. */
	reset(state: State, told: ReadonlySet<number> = new Set()): void {
		this.model = state.model;
		this.agents = state.outside ?? [];
		this.modelled.fire();
		const newer = this.plans().filter(({ plan }) => told.has(plan));
		this.byNumber.clear();
		for (const plan of [...state.plans.filter((plan) => plan.plan > 0), ...newer]) { // 0 is a draft: there is nothing to decide
			this.byNumber.set(plan.plan, plan);
		}
		this.draft = state.plans.find((plan) => plan.plan === 0);
		this.turns.clear();
		for (const turn of state.turns) {
			if (turn.state === 'running' || turn.state === 'queued') {
				this.turns.set(turn.turn, { turn: turn.turn, request: '', doing: '' });
			}
		}
		this.changed.fire(undefined);
		this.worked.fire();
		this.stand({ trials: state.trials ?? 'none', checks: state.checks === true });
	}

	/** Forgets the turns of a server that has ended. Its plans stay. */
	disconnected(): void {
		this.turns.clear();
		this.draft = undefined;
		this.worked.fire();
	}

	/** Takes what is staged so far, from an answer of `redline.state` that may be late. */
	takeDraft(plan: Plan | undefined): void {
		if (plan === undefined || this.turns.size > 0) {
			this.draft = plan;
			this.changed.fire(undefined);
		}
	}

	/** Adds or replaces a plan. */
	take(plan: Plan): void {
		this.draft = undefined;
		this.byNumber.set(plan.plan, plan);
		this.changed.fire(plan);
	}

	/**
	 * Takes the places of the undecided changes of a file, which the server publishes as the user types, long before it sends
	 * the plan again. Tells of a plan only if one of its changes has become stale or fits again.
	 */
	placed(isFile: (uri: string) => boolean, places: readonly { plan: number; hunk: string; stale: boolean; range: Range }[]): void {
		for (const number of new Set(places.map(({ plan }) => plan))) {
			const plan = this.byNumber.get(number);
			if (!plan) {
				continue;
			}
			const flipped: string[] = [];
			const move = (hunk: Hunk): Hunk => {
				const place = places.find((p) => p.plan === number && p.hunk === hunk.id);
				if (!place || !hunkWaits(hunk)) {
					return hunk;
				}
				const { start, end } = place.range, range = { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
				if (place.stale === (hunk.status === 'stale')) {
					return { ...hunk, range };
				}
				flipped.push(hunk.id);
				const { id, added, removed } = hunk, moved = { id, added, removed, range };
				return place.stale ? { ...moved, status: 'stale', reason: 'its lines were changed since it was proposed' } : { ...moved, status: 'pending' };
			};
			const now = { ...plan, files: plan.files.map((file) => (isFile(file.uri) ? { ...file, hunks: file.hunks.map(move) } : file)) };
			this.byNumber.set(number, now);
			if (flipped.length > 0) {
				this.changed.fire(now);
			}
		}
	}

	/** Applies an event of the server. */
	apply(event: Event): void {
		if (event.kind === 'plan' && event.plan) {
			this.take(event.plan);
		}
		if (event.kind === 'trials' && event.trials) {
			this.stand({ trials: event.trials, checks: event.checks === true });
		}
		if (event.turn === undefined) {
			return;
		}
		switch (event.kind) {
			case 'turn.started':
				this.turns.set(event.turn, { turn: event.turn, request: event.summary ?? '', doing: '' });
				break;
			case 'turn.finished':
				this.turns.delete(event.turn);
				if (this.draft && this.turns.size === 0) {
					this.takeDraft(undefined);
				}
				break;
			case 'tool':
				this.does(event.turn, event.summary ?? event.name ?? '');
				return;
			case 'doing':
				this.does(event.turn, event.text ?? '');
				return;
			case 'outside':
				if (event.step) {
					this.does(event.turn, event.step.summary ?? '');
				}
				return;
			case 'staged':
				this.does(event.turn, `staged a change to ${event.path ?? 'a file'}`);
				this.staged.fire();
				return;
			default:
				return;
		}
		this.worked.fire();
	}

	private stand(now: Standing): void {
		const { trials, checks } = this.standing;
		if (trials !== now.trials || checks !== now.checks) {
			this.standing = now;
			this.stood.fire();
		}
	}

	private does(turn: string, what: string): void {
		const running = this.turns.get(turn);
		if (running && running.doing !== what) {
			running.doing = what;
			this.worked.fire();
		}
	}
}
