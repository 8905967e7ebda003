/** Calls listeners when something changes. It replaces the editor's own in modules that run without an editor. */
export class Emitter<T> {
	private readonly listeners = new Set<(value: T) => void>();

	/** Calls the listener at each change. Returns a function that stops this. */
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
