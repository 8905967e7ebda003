import { commandsFor, isForServer, type Suggestion } from '../src/core/slash';
import type { Completions } from '../src/protocol';
import { element } from './element';

/** Handles the input field: writing, sending, and completing commands, files and symbols. */
export class Composer {
	private chosen = 0;
	private found: Suggestion[] = [];
	/** The end of the text that a suggestion replaces. */
	private replaces = '';
	private recalled = -1;

	constructor(
		form: HTMLFormElement,
		private readonly field: HTMLTextAreaElement,
		private readonly list: HTMLUListElement,
		private readonly on: {
			send(text: string): void;
			/** Called on Ctrl+Enter in an empty field. */
			toDecision(): void;
			/** Called on Escape when no list is open. */
			escape(): void;
			/** Returns earlier requests, oldest first. */
			requests(): string[];
			changed(text: string): void;
			/** Asks for completions of a text; `suggest` gets the answer. */
			complete(text: string): void;
		},
	) {
		form.addEventListener('submit', (event) => {
			event.preventDefault();
			this.submit();
		});
		field.addEventListener('input', () => {
			this.recalled = -1;
			this.look();
		});
		field.addEventListener('keydown', (event) => this.key(event));
		field.addEventListener('blur', () => this.close());
	}

	get text(): string {
		return this.field.value;
	}

	set text(text: string) {
		this.field.value = text;
		this.field.setSelectionRange(text.length, text.length);
		this.look();
	}

	focus(): void {
		this.field.focus();
	}

	private submit(): void {
		const text = this.field.value.trim();
		if (text === '') {
			return;
		}
		this.text = '';
		this.on.send(text);
	}

	private key(event: KeyboardEvent): void {
		if (event.isComposing) {
			return;
		}
		const act = this.meaning(event);
		if (act) {
			event.preventDefault();
			act();
		}
	}

	private meaning(event: KeyboardEvent): (() => void) | undefined {
		const open = this.found.length > 0;
		switch (event.key) {
			case 'Enter':
				if (event.ctrlKey || event.metaKey) {
					return this.field.value.trim() === '' ? () => this.on.toDecision() : () => this.submit();
				}
				if (event.shiftKey) {
					return undefined;
				}
				return open ? () => this.complete() : () => this.submit();
			case 'Tab':
				return open && !event.shiftKey ? () => this.complete() : undefined;
			case 'Escape':
				return open ? () => this.close() : () => this.on.escape();
			case 'ArrowDown':
				return open ? () => this.choose(this.chosen + 1) : this.recalled > 0 ? () => this.recall(this.recalled - 1) : undefined;
			case 'ArrowUp':
				return open ? () => this.choose(this.chosen - 1) : this.field.value === '' || this.recalled >= 0 ? () => this.recall(this.recalled + 1) : undefined;
			default:
				return undefined;
		}
	}

	/** Brings back an earlier request; 0 is the last. */
	private recall(back: number): void {
		const text = this.on.requests().at(-1 - back);
		if (text !== undefined) {
			this.text = text;
			this.close();
			this.recalled = back;
		}
	}

	private look(): void {
		this.field.rows = Math.min(10, this.field.value.split('\n').length);
		this.on.changed(this.field.value);
		const typed = this.typed();
		this.show(typed, commandsFor(typed));
		if (this.found.length === 0 && isForServer(typed)) {
			this.on.complete(typed);
		}
	}

	/** Returns the text before the cursor. */
	private typed(): string {
		return this.field.value.slice(0, this.field.selectionStart);
	}

	/** Shows completions of a text, unless the text has changed since. */
	suggest(text: string, { replaces, items }: Completions): void {
		if (text !== this.typed() || document.activeElement !== this.field || !text.endsWith(replaces)) {
			return;
		}
		const one = items.length === 1 && items[0]?.insert === replaces; // it is complete already
		this.show(replaces, one ? [] : items.map((item) => asSuggestion(replaces, item)));
	}

	private show(replaces: string, found: Suggestion[]): void {
		this.replaces = replaces;
		this.found = found;
		this.chosen = 0;
		this.draw();
	}

	private choose(i: number): void {
		this.chosen = (i + this.found.length) % this.found.length;
		this.draw();
	}

	private complete(): void {
		const chosen = this.found[this.chosen];
		const before = this.typed(), after = this.field.value.slice(before.length);
		this.close();
		if (chosen) {
			const written = before.slice(0, before.length - this.replaces.length) + chosen.insert;
			this.field.value = written + (written.endsWith(' ') ? after.replace(/^ /, '') : after);
			this.field.setSelectionRange(written.length, written.length);
			this.look();
		}
	}

	private close(): void {
		this.found = [];
		this.draw();
	}

	private draw(): void {
		this.list.hidden = this.found.length === 0;
		this.field.setAttribute('aria-expanded', String(this.found.length > 0));
		this.list.replaceChildren(...this.found.map(({ label, argument, does }, i) => {
			const option = element('li', { role: 'option', id: `suggestion-${i}`, 'aria-selected': String(i === this.chosen) }, element('strong', {}, label));
			if (argument) {
				option.append(' ', element('span', { class: 'argument' }, argument));
			}
			if (does) {
				option.append(' ', element('span', { class: 'does' }, does));
			}
			option.addEventListener('mousedown', (event) => {
				event.preventDefault();
				this.chosen = i;
				this.complete();
			});
			return option;
		}));
		if (this.found.length > 0) {
			this.field.setAttribute('aria-activedescendant', `suggestion-${this.chosen}`);
			this.list.children[this.chosen]?.scrollIntoView({ block: 'nearest' });
		} else {
			this.field.removeAttribute('aria-activedescendant');
		}
	}
}

/** Makes a suggestion of a completion: a file shows its name first, then its folder. */
function asSuggestion(replaces: string, { label, insert, detail }: Completions['items'][number]): Suggestion {
	const cut = replaces.startsWith('@') ? label.lastIndexOf('/', label.length - 2) : -1;
	return { label: label.slice(cut + 1), insert: insert + ' ', does: detail ?? label.slice(0, Math.max(cut, 0)) };
}
