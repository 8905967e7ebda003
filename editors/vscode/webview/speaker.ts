import type { Plan } from '../src/protocol';
import { Spoken } from '../src/core/spoken';
import type { Entry } from '../src/core/transcript';
import { element } from './element';

/** How many messages stay in the region: a reader of the screen reads only what comes to it. */
const most = 5;

/** Has a reader of the screen read what is new, from a region that nobody sees, and that is not copied with the page's text. */
export class Speaker {
	private readonly spoken = new Spoken();
	private readonly region = element('div', { role: 'region', 'aria-label': 'News', 'aria-live': 'polite', 'aria-relevant': 'additions' });

	constructor(page: HTMLElement) {
		const host = element('div', { class: 'unseen' });
		host.attachShadow({ mode: 'closed' }).append(this.region);
		page.append(host);
	}

	reset(entries: readonly Entry[], plans: readonly Plan[]): void {
		this.spoken.reset(entries, plans);
	}

	entry(entry: Entry): void {
		this.say(this.spoken.entry(entry));
	}

	plan(plan: Plan): void {
		this.say(this.spoken.plan(plan));
	}

	private say(text: string): void {
		if (text !== '') {
			this.region.append(element('p', {}, text));
			while (this.region.children.length > most) {
				this.region.firstElementChild?.remove();
			}
		}
	}
}
