/** How often a server that ends unexpectedly is started again before the user is asked. */
const limit = 4;
const within = 3 * 60 * 1000;

export class Restarts {
	private times: number[] = [];

	/** Notes an end at a time in milliseconds, and tells whether to start again. */
	another(now: number): boolean {
		this.times = this.times.filter((time) => now - time < within);
		this.times.push(now);
		return this.times.length <= limit;
	}

	/** The user has started it: what was before does not count. */
	forget(): void {
		this.times = [];
	}
}
