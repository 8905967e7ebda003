/** Bounds every wait. It is for machines that are busy, and for nothing else. */
export const patience = 90_000;

/** Waits until something is so, and fails with what it was waiting for. What throws is not so yet. */
export async function until<T>(what: string, is: () => T | Promise<T>, within = patience): Promise<NonNullable<T>> {
	const end = Date.now() + within;
	let last: unknown;
	for (;;) {
		try {
			const value = await is();
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
