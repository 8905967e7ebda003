import { doingNow, type Entry, type TurnEntry, verdictOf, workerOf } from '../src/core/transcript';
import type { Plan, Standing } from '../src/protocol';
import { mentions } from '../src/core/mentions';
import { wantsSetup } from '../src/core/setup';
import { failing, noTrials } from '../src/core/trials';
import { planIn, type Way, waysOf } from '../src/core/ways';
import { besideCard } from '../src/core/worker';
import { card, type Decide, type Show } from './card';
import { element } from './element';
import { rendered } from './markdown';
import { steps } from './steps';

/** Draws the conversation, and redraws each entry when it changes. */
export class Log {
	private readonly entries = new Map<string, Entry>();
	private readonly plans = new Map<number, Plan>();
	private readonly due = new Set<string>();
	private standing = noTrials;
	private builtin = false;

	private clock: ReturnType<typeof setInterval> | undefined;

	constructor(
		private readonly root: HTMLElement,
		private readonly decide: Decide,
		private readonly show: Show,
		private readonly trace: (trace: string) => void,
		private readonly answer: (text: string) => void,
		private readonly way: (way: Way, plan?: number) => void,
		copy: (text: string) => void,
	) {
		root.addEventListener('click', ({ target }) => {
			const button = target instanceof Element ? target.closest<HTMLElement>('button.copy') : null;
			if (button) {
				copy(button.parentElement?.querySelector('pre')?.textContent ?? '');
				button.textContent = 'Copied';
				setTimeout(() => (button.textContent = 'Copy'), 2000);
			}
		});
	}

	reset(entries: readonly Entry[], plans: Plan[], standing: Standing): void {
		this.standing = standing;
		this.entries.clear();
		this.due.clear(); // or what was due before would be drawn above the others
		this.plans.clear();
		for (const plan of plans) {
			this.plans.set(plan.plan, plan);
		}
		const shown = new Set(entries.map(({ id }) => `e-${id}`));
		for (const old of [...this.root.children].filter(({ id }) => !shown.has(id))) {
			old.remove(); // what stays is drawn anew in its place: it keeps the focus, and what is unfolded
		}
		for (const entry of entries) {
			this.put(entry);
		}
		this.welcome();
	}

	put(entry: Entry): void {
		if (!this.entries.has(entry.id)) { // redraw the previous entry: it is no longer the last
			const last = [...this.entries.keys()].at(-1);
			if (last !== undefined) {
				this.draw(last);
			}
		}
		const before = this.entries.get(entry.id);
		this.entries.set(entry.id, entry);
		this.draw(entry.id);
		if (entry.kind === 'turn' && entry.plan !== undefined && (before?.kind !== 'turn' || before.plan !== entry.plan)) {
			this.drawWith(entry.plan); // its card moves here
		}
	}

	/** Appends to a streaming answer or thought. */
	append(id: string, to: 'answer' | 'thinking', text: string): void {
		const entry = this.entries.get(id);
		if (entry?.kind === 'turn') {
			entry[to] += text;
			this.draw(id);
		}
	}

	plan(plan: Plan): void {
		this.plans.set(plan.plan, plan);
		this.drawWith(plan.plan);
	}

	/** Takes whether trials are allowed. */
	stand(standing: Standing): void {
		this.standing = standing;
		for (const plan of this.plans.keys()) {
			this.drawWith(plan);
		}
	}

	/** Takes whether the built-in model is in use. */
	model(builtin: boolean): void {
		if (this.builtin !== builtin) {
			this.builtin = builtin;
			this.root.querySelector('.welcome')?.remove();
			this.welcome();
		}
	}

	/** Redraws the entries with a plan. */
	private drawWith(plan: number): void {
		for (const entry of this.entries.values()) {
			if (entry.kind === 'turn' && entry.plan === plan) {
				this.draw(entry.id);
			}
		}
	}

	/** Returns the running and queued turns. */
	running(): TurnEntry[] {
		return [...this.entries.values()].filter((e): e is TurnEntry => e.kind === 'turn' && (e.state === 'running' || e.state === 'queued'));
	}

	/** Focuses the card of the newest plan that waits for the user. Its top is shown where there is no room for all of it. */
	toWaiting(): void {
		const card = [...this.root.querySelectorAll<HTMLElement>('.card')].findLast((c) => c.querySelector('[data-act="approve"],[data-act="commands"]'));
		card?.focus({ preventScroll: true });
		card?.scrollIntoView({ block: card.offsetHeight > this.root.clientHeight ? 'start' : 'nearest' });
	}

	requests(): string[] {
		return [...this.entries.values()].flatMap((e) => (e.kind === 'turn' && e.request ? [e.request] : []));
	}

	/** Draws an entry in the next frame, once, however often it changes until then. */
	private draw(id: string): void {
		this.due.add(id);
		if (this.due.size === 1) {
			requestAnimationFrame(() => this.drawDue());
		}
	}

	private drawDue(): void {
		const due = [...this.due];
		this.due.clear();
		const asked = due.some((id) => !document.getElementById(`e-${id}`)); // scroll to a new entry
		const atEnd = asked || this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight < 40;
		for (const id of due) {
			const entry = this.entries.get(id);
			if (!entry) {
				continue;
			}
			const old = document.getElementById(`e-${id}`);
			const focused = old?.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset['act'] ?? 'card' : undefined;
			const made = entry.kind === 'turn' ? this.turn(entry) : this.noteWithWay(entry.id, entry.text, entry.tone);
			made.id = `e-${id}`;
			if (old) {
				unfoldAs(made, old);
				old.replaceWith(made);
			} else {
				this.root.append(made);
			}
			made.querySelectorAll('.output').forEach((output) => (output.scrollTop = output.scrollHeight)); // its end is new
			if (focused) { // restore the focus, or focus the card
				(made.querySelector<HTMLElement>(`[data-act="${focused}"]`) ?? made.querySelector<HTMLElement>('.card'))?.focus();
			}
		}
		this.welcome();
		this.tick();
		if (atEnd) {
			this.root.scrollTop = this.root.scrollHeight;
		}
	}

	/** Counts the seconds of what runs, while something does. */
	private tick(): void {
		const running = this.running().filter(({ state }) => state === 'running');
		for (const entry of running) {
			const now = document.querySelector(`#e-${entry.id} .doing .now`);
			if (now) {
				now.textContent = doingNow(entry, Date.now());
			}
		}
		if (running.length > 0) {
			this.clock ??= setInterval(() => this.tick(), 1000);
		} else {
			clearInterval(this.clock);
			this.clock = undefined;
		}
	}

	private turn(entry: TurnEntry): HTMLElement {
		const made = element('article', { class: `turn ${entry.state}` });
		made.append(element('div', { class: 'you', role: 'group', 'aria-label': 'You' }, ...asked(entry)));
		const reply = element('div', { class: 'redline', role: 'group', 'aria-label': 'Redline' });
		const plan = entry.plan === undefined ? undefined : this.plans.get(entry.plan);
		const shown = plan !== undefined && this.isNewestWith(entry);
		const who = workerOf(entry);
		reply.append(...(who === '' ? [] : [element('p', { class: 'who' }, who)]), ...steps(entry));
		const [answer, output] = verdictOf(shown ? besideCard(entry.answer, plan) : entry.answer);
		if (answer) {
			reply.append(element('div', { class: 'answer' }, rendered(answer)));
		}
		if (shown) {
			reply.append(card(plan, this.standing, this.decide, this.show));
		} else if (plan) {
			reply.append(element('p', { class: 'note' }, `Plan ${plan.plan} was changed again below.`));
		}
		if (output !== '') {
			const number = planIn(answer), tried = number === undefined ? undefined : this.plans.get(number);
			if (tried && !shown && failing(tried)) { // its card is above
				reply.append(element('div', { class: 'buttons' }, this.button('fix', 'Fix', tried.plan)));
			}
			reply.append(element('details', { class: 'folded', 'data-key': 'output' }, element('summary', { 'data-act': 'output' }, 'Output'), rendered(output)));
		}
		reply.append(...entry.notes.map((text) => this.note(text, 'info')));
		if (entry.output) {
			reply.append(element('pre', { class: 'output', tabindex: '0', role: 'group', 'aria-label': 'Output of the command' }, entry.output));
		}
		if (entry.question) { // an answered question has no buttons
			reply.append(this.question(entry.question.text, this.isLast(entry) ? entry.question.options : [], entry.answer));
		}
		reply.append(...this.footing(entry), ...this.wayOn(entry), ...this.traceOf(entry));
		made.append(reply);
		return made;
	}

	private question(text: string, options: string[], answer: string): HTMLElement {
		const made = element('div', { class: 'question', role: 'group', 'aria-label': 'Question' });
		if (!answer.includes(text)) {
			made.append(element('div', {}, rendered(text)));
		}
		for (const option of options) {
			const button = element('button', { type: 'button', class: 'secondary' }, option);
			button.addEventListener('click', () => this.answer(option));
			made.append(button);
		}
		return made;
	}

	private footing(entry: TurnEntry): HTMLElement[] {
		switch (entry.state) {
			case 'queued':
				return [element('p', { class: 'doing' }, 'Waiting for the earlier request…')];
			case 'running':
				return [element('p', { class: 'doing' }, element('span', { class: 'dot', 'aria-hidden': 'true' }), element('span', { class: 'now' }, doingNow(entry, Date.now())))];
			case 'cancelled':
				return [element('p', { class: 'note' }, 'Cancelled.')];
			case 'interrupted':
				return [element('p', { class: 'note error' }, 'Interrupted: the server ended. Your plans are kept.')];
			case 'failed':
				return [this.note(entry.error ?? 'Failed.', 'error')];
			default:
				return [];
		}
	}

	/** Makes the link to the trace of a finished turn; CSS shows it on hover or focus. */
	private traceOf({ trace, took = 0 }: TurnEntry): HTMLElement[] {
		if (trace === undefined) {
			return [];
		}
		const link = element('button', { type: 'button', class: 'link', 'data-act': 'trace', title: 'What this turn did, step by step' }, 'Trace');
		link.addEventListener('click', () => this.trace(trace));
		return [element('p', { class: 'more' }, ...(took > 0 ? [`${took} s · `] : []), link)];
	}

	/** Makes the buttons below a turn that came to nothing: to ask again, and to choose a model if the error is about it. */
	private wayOn(entry: TurnEntry): HTMLElement[] {
		if (!this.isLast(entry) || entry.state === 'running' || entry.state === 'queued') {
			return [];
		}
		const buttons = [
			...(['failed', 'cancelled', 'interrupted'].includes(entry.state) ? [this.retry()] : []),
			...(wantsSetup(entry.error ?? entry.answer) ? [this.button('setup', 'Set Up a Model…')] : []),
		];
		return buttons.length > 0 ? [element('div', { class: 'buttons' }, ...buttons)] : [];
	}

	private retry(): HTMLElement {
		const button = element('button', { type: 'button', 'data-act': 'retry', class: 'secondary', title: 'Send the last request again' }, 'Retry');
		button.addEventListener('click', () => this.answer('/retry'));
		return button;
	}

	/** Makes a note; the last one has buttons for what comes next. The chat itself needs none. */
	private noteWithWay(id: string, text: string, tone: string): HTMLElement {
		const made = this.note(text, tone), number = planIn(text);
		const ways = [...this.entries.keys()].at(-1) !== id ? [] : waysOf(text, number === undefined ? undefined : this.plans.get(number), tone === 'error').filter(({ way }) => way !== 'chat');
		return ways.length === 0 ? made : element('div', {}, made, element('div', { class: 'buttons' }, ...ways.map(({ way, label }) => this.button(way, label, number))));
	}

	private button(way: Way, label: string, plan?: number): HTMLElement {
		const button = element('button', { type: 'button', 'data-act': way, ...(way !== 'setup' && { class: 'secondary' }) }, label);
		button.addEventListener('click', () => this.way(way, plan));
		return button;
	}

	private note(text: string, tone: string): HTMLElement {
		const parts = text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? element('code', {}, part) : part));
		return element('p', { class: `note ${tone}`, ...(tone === 'error' && { role: 'alert' }) }, ...parts);
	}

	private isNewestWith(entry: TurnEntry): boolean {
		return [...this.entries.values()].findLast((e) => e.kind === 'turn' && e.plan === entry.plan) === entry;
	}

	private isLast(entry: TurnEntry): boolean {
		return [...this.entries.values()].findLast((e) => e.kind === 'turn') === entry;
	}

	/** Shows the welcome text while there are no entries. */
	private welcome(): void {
		const shown = this.root.querySelector('.welcome');
		if (this.entries.size > 0) {
			shown?.remove();
		} else if (!shown) {
			this.root.append(element('div', { class: 'welcome' },
				...(this.builtin ? [element('p', {}, 'Redline uses its small built-in model, which can only rename, replace and move things. For anything else, set up a model of your own: it takes a minute.'),
					element('p', {}, this.button('setup', 'Set Up a Model…'))] : []),
				element('p', {}, 'Ask for a change in plain words. Redline shows you the edits; nothing changes until you approve them.'),
				element('p', {}, element('kbd', {}, 'Enter'), ' sends, ', element('kbd', {}, 'Shift+Enter'), ' begins a new line, ', element('kbd', {}, '@'), ' names a file, ', element('kbd', {}, '/'), ' lists the commands.')));
		}
	}
}

/** Unfolds in what was drawn anew what the user has unfolded in what it replaces, and scrolls it as far. */
function unfoldAs(made: HTMLElement, old: HTMLElement): void {
	for (const before of old.querySelectorAll<HTMLDetailsElement>('details[data-key]')) {
		const now = made.querySelector<HTMLDetailsElement>(`details[data-key="${before.dataset['key'] ?? ''}"]`);
		if (now) {
			now.open = before.open;
		}
	}
}

/** Makes the text of a request, with what it mentions and the place that it is about. */
function asked({ request, about }: TurnEntry): (string | Node)[] {
	const parts: (string | Node)[] = [];
	let at = 0;
	for (const { start, end } of mentions(request)) {
		parts.push(request.slice(at, start), element('span', { class: 'mention' }, request.slice(start, end)));
		at = end;
	}
	return [...parts, request.slice(at), ...(about === undefined ? [] : [element('span', { class: 'about' }, about)])];
}
