import type { Event, Plan, Standing, State } from '../protocol';
import { Emitter } from './emitter';
import { isOpen, waiting } from './plans';
import { noTrials } from './trials';

/** A turn that is not over, and what it does. */
export interface Running {
	turn: string;
	request: string;
	doing: string;
}

/** The plans and turns as the server told them last: the one source of everything that is shown. */
export class Board {
	/** Fires with the plan that is new or changed, or undefined after a change of all. */
	readonly changed = new Emitter<Plan | undefined>();
	/** Fires when a turn begins, goes on or ends. */
	readonly worked = new Emitter<void>();

	/** Fires when it has changed where trials stand. */
	readonly stood = new Emitter<void>();
	/** Where trials stand. */
	standing: Standing = noTrials;

	/** Which model answers; the provider is empty until the server has said it. */
	model: State['model'] = { provider: '', name: '' };
	/** Fires when another model answers. */
	readonly modelled = new Emitter<void>();

	private readonly byNumber = new Map<number, Plan>();
	private readonly turns = new Map<string, Running>();

	/** All plans, newest first. */
	plans(): Plan[] {
		return [...this.byNumber.values()].sort((a, b) => b.plan - a.plan);
	}

	plan(number: number): Plan | undefined {
		return this.byNumber.get(number);
	}

	/** The plans that are not decided, newest first. */
	open(): Plan[] {
		return this.plans().filter(isOpen);
	}

	/** How many changes wait for the user, over all plans. */
	waiting(): number {
		return this.plans().reduce((sum, plan) => sum + waiting(plan), 0);
	}

	running(): Running[] {
		return [...this.turns.values()];
	}

	/** Takes what `redline.state` answers; it replaces everything. */
	reset(state: State): void {
		this.model = state.model;
		this.modelled.fire();
		this.byNumber.clear();
		for (const plan of state.plans.filter((plan) => plan.plan > 0)) { // 0: a turn drafts it, nothing can be decided
			this.byNumber.set(plan.plan, plan);
		}
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

	/** The server is gone: its turns with it. What it had told of plans still stands. */
	disconnected(): void {
		this.turns.clear();
		this.worked.fire();
	}

	/** Takes an answer that is a plan. */
	take(plan: Plan): void {
		this.byNumber.set(plan.plan, plan);
		this.changed.fire(plan);
	}

	/** Takes an event of the server. */
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
				break;
			case 'tool':
				this.does(event.turn, event.summary ?? event.name ?? '');
				return;
			case 'staged':
				this.does(event.turn, `staged a change to ${event.path ?? 'a file'}`);
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
