/** The timeout of every wait. It is long because the machine may be busy. */
export const patience = 90_000;

/**
 * Waits until a condition holds, and fails with its description. A condition that throws does not hold yet. One that tries
 * something gets the number of the attempt, from 1: it waits longer each time.
 */
export async function until<T>(what: string, is: (attempt: number) => T | Promise<T>, within = patience): Promise<NonNullable<T>> {
	const end = Date.now() + within;
	let last: unknown;
	for (let attempt = 1; ; attempt++) {
		try {
			const value = await is(attempt);
			if (value) {
				return value;
			}
			last = undefined;
		} catch (error) {
			last = error;
		}
		if (Date.now() > end) {
			throw new Error(`waited in vain until ${what}`, { cause: last });
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}
