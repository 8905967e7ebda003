// Follows the server: a stream of events, opened again after it breaks.
import { Refusal, type Event, type Server } from './api';

const silence = 40_000; // a ping comes each 15 s

export interface Listener {
	/** The plan has changed. */
	changed(): void;
	/** Whether the server answers. */
	answers(yes: boolean): void;
	/** The token is not good, or not any more. */
	refused(message: string): void;
	/** The review has ended. */
	ended(text: string): void;
}

/** Listens until the review has ended, or the signal. */
export async function follow(server: Server, listener: Listener, until: AbortSignal): Promise<void> {
	const left = (): boolean => until.aborted;
	let since = 0, wait = 1000;
	for (let first = true; !left(); first = false) {
		const stop = new AbortController();
		until.addEventListener('abort', () => stop.abort(), { signal: stop.signal });
		const heard = { ended: false };
		let timer = setTimeout(() => stop.abort(), silence), lost = !first;
		try {
			await server.events(since, stop.signal, (event: Event) => {
				clearTimeout(timer);
				timer = setTimeout(() => stop.abort(), silence);
				since = Math.max(since, event.seq);
				wait = 1000;
				listener.answers(true);
				if (event.kind === 'ended') {
					heard.ended = true;
					listener.ended(event.text ?? '');
				} else if (event.kind === 'plan' || lost) {
					listener.changed();
				}
				lost = false;
			});
		} catch (error) {
			if (error instanceof Refusal && error.status === 401) {
				listener.refused(error.message);
				return;
			}
			if (error instanceof Refusal && error.status === 410) {
				listener.ended(error.message);
				return;
			}
		} finally {
			clearTimeout(timer);
		}
		if (heard.ended || left()) {
			return;
		}
		listener.answers(false);
		await new Promise((resolve) => setTimeout(resolve, wait));
		wait = Math.min(wait * 2, 8000);
	}
}
