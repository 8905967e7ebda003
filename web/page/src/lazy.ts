// Draws the lines of hunks: those in sight at once, the others while nothing else happens, so that the browser's own
// search finds all of them.
import type { HunkView } from './hunk';

export class Lazy {
	private waiting: HunkView[] = [];
	private readonly byRoot = new Map<Element, HunkView>();
	private handle = 0;
	private readonly observer = new IntersectionObserver((entries) => {
		for (const { isIntersecting, target } of entries) {
			if (isIntersecting) {
				this.byRoot.get(target)?.draw();
				this.observer.unobserve(target);
			}
		}
	}, { rootMargin: '1200px 0px' });

	/** Takes the hunks of the page, in order, and forgets those before. */
	take(hunks: HunkView[]): void {
		this.observer.disconnect();
		this.byRoot.clear();
		this.waiting = [...hunks].reverse();
		for (const view of hunks) {
			this.byRoot.set(view.root, view);
			this.observer.observe(view.root);
		}
		clearTimeout(this.handle);
		this.later();
	}

	private later(): void {
		this.handle = window.setTimeout(() => {
			const until = performance.now() + 8;
			while (performance.now() < until) {
				const next = this.waiting.pop();
				if (next === undefined) {
					return;
				}
				next.draw();
			}
			this.later();
		}, 24);
	}
}
