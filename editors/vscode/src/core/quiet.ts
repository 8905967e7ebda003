/** How long after a decision its outcome can still be told, in milliseconds. */
const late = 3000;

const outcome = /^Redline: plan (\d+): (?:\d+ changes? in \d+ files? (?:applied|taken back)|it was in your text already|nothing was )/;

/**
 * Which messages tell only what the user has just done and sees: the outcome of a decision about a change or a file.
 * That of a whole plan is news, since its files are not all in front of the user.
 */
export class Quiet {
	private readonly until = new Map<number, number>();

	constructor(private readonly now: () => number = Date.now) {}

	/** Carries out a decision about a plan, or a part of it. */
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

	/** Tells whether a message needs no notification. */
	isKnown(message: string): boolean {
		const plan = outcome.exec(message)?.[1];
		return plan !== undefined && (this.until.get(Number(plan)) ?? 0) > this.now();
	}
}
