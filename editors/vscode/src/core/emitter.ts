/** Tells listeners that something has changed. Parts without an editor use it in place of the editor's own. */
export class Emitter<T> {
	private readonly listeners = new Set<(value: T) => void>();

	/** Calls the listener at each change, until what it returns is called. */
	listen(listener: (value: T) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	fire(value: T): void {
		for (const listener of [...this.listeners]) {
			listener(value);
		}
	}
}
