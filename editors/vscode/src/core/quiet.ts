/** How long after a decision its outcome can still arrive, in milliseconds. */
const late = 3000;

const outcome = /^Redline: plan (\d+): (?:\d+ changes? in \d+ files? (?:applied|taken back)|it was in your text already|nothing was )/;

/**
 * Recognises messages that only repeat what the user has just done and sees: the outcome of a decision on a change or a
 * file. The outcome of a whole plan is news, because the user does not see all its files.
 */
export class Quiet {
	private readonly until = new Map<number, number>();

	constructor(private readonly now: () => number = Date.now) {}

	/** Runs decide, and notes what it is about. */
	async during<T>(scope: { plan: number; path?: string; hunk?: string }, decide: () => Promise<T>): Promise<T> {
		if (scope.path === undefined && scope.hunk === undefined) {
			this.until.delete(scope.plan);
			return decide();
		}
		this.until.set(scope.plan, Infinity);
		try {
			return await decide();
		} finally {
			this.until.set(scope.plan, this.now() + late);
		}
	}

	/** Reports whether a message needs no notification. */
	isKnown(message: string): boolean {
		const plan = outcome.exec(message)?.[1];
		return plan !== undefined && (this.until.get(Number(plan)) ?? 0) > this.now();
	}
}
