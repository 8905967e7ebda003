/** How often a server that ends unexpectedly is restarted before the user is asked. */
const limit = 4;
const within = 3 * 60 * 1000;

export class Restarts {
	private times: number[] = [];

	/** Notes that the server ended at a time in milliseconds. Returns whether to restart it. */
	another(now: number): boolean {
		this.times = this.times.filter((time) => now - time < within);
		this.times.push(now);
		return this.times.length <= limit;
	}

	/** Forgets earlier ends, when the user has started the server. */
	forget(): void {
		this.times = [];
	}
}
