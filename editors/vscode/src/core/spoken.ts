import type { Plan } from '../protocol';
import { commandLine, count, extent, stateName, waiting } from './plans';
import type { Entry, TurnEntry } from './transcript';
import { outcome, shownTrials } from './trials';

/**
 * Puts what is new in the chat into words, for readers of the screen: once an answer is whole, and once a plan has another
 * state. Read from the page itself, an answer would be read again with each word that comes, and the clock each second.
 */
export class Spoken {
	/** What was said last of an entry or a plan. */
	private readonly last = new Map<string, string>();

	/** Takes what was there when the page was opened: that is not new. */
	reset(entries: readonly Entry[], plans: readonly Plan[]): void {
		this.last.clear();
		entries.forEach((entry) => this.entry(entry));
		plans.forEach((plan) => this.plan(plan));
	}

	/** Returns what is new of an entry, or "". */
	entry(entry: Entry): string {
		return this.news(entry.id, entry.kind === 'note' ? entry.text : ofTurn(entry));
	}

	/** Returns what is new of a plan, or "". */
	plan(plan: Plan): string {
		return plan.plan === 0 || plan.state === 'drafting' ? '' : this.news(`plan ${plan.plan}`, ofPlan(plan));
	}

	private news(of: string, text: string): string {
		const known = this.last.get(of) === text;
		this.last.set(of, text);
		return known ? '' : text;
	}
}

function ofTurn({ state, answer, error, question }: TurnEntry): string {
	switch (state) {
		case 'queued':
			return '';
		case 'running':
			return 'Redline is working';
		case 'cancelled':
			return 'Cancelled';
		case 'interrupted':
			return 'Interrupted: the server ended';
		case 'failed':
			return error ?? 'Failed';
		default:
			return [answer, ...(question === undefined ? [] : [...(answer.includes(question.text) ? [] : [question.text]), question.options.join(', ')])].filter(Boolean).join('. ');
	}
}

function ofPlan(plan: Plan): string {
	const left = waiting(plan), trial = shownTrials(plan).find(({ current }) => current);
	return [
		`Plan ${plan.plan} ${stateName(plan)}`, plan.textOnly ? 'in words' : extent(plan.files), ...(left > 0 ? [`${count(left, 'change')} to decide`] : []),
		...(trial === undefined ? [] : [`${commandLine(trial)} ${outcome(trial)}`]),
	].join(', ');
}
