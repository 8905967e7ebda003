import { completions, type Slash } from '../src/core/slash';
import { element } from './element';

/** The field at the bottom: writing, sending, and completing slash commands. */
export class Composer {
	private chosen = 0;
	private found: Slash[] = [];
	private recalled = -1;

	constructor(
		form: HTMLFormElement,
		private readonly field: HTMLTextAreaElement,
		private readonly list: HTMLUListElement,
		private readonly on: {
			send(text: string): void;
			/** Ctrl+Enter without a text. */
			toDecision(): void;
			/** Escape, when nothing is open. */
			escape(): void;
			/** What was asked before, oldest first. */
			requests(): string[];
			changed(text: string): void;
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

	/** Brings back what was asked; 0 is the last. */
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
		this.found = completions(this.field.value);
		this.chosen = 0;
		this.draw();
	}

	private choose(i: number): void {
		this.chosen = (i + this.found.length) % this.found.length;
		this.draw();
	}

	private complete(): void {
		const slash = this.found[this.chosen];
		if (slash) {
			this.text = slash.argument ? `${slash.name} ` : slash.name;
		}
		this.close();
	}

	private close(): void {
		this.found = [];
		this.draw();
	}

	private draw(): void {
		this.list.hidden = this.found.length === 0;
		this.field.setAttribute('aria-expanded', String(this.found.length > 0));
		this.list.replaceChildren(...this.found.map((slash, i) => {
			const option = element('li', { role: 'option', id: `slash-${i}`, 'aria-selected': String(i === this.chosen) },
				element('strong', {}, slash.name), ' ', element('span', { class: 'argument' }, slash.argument), ' ', element('span', { class: 'does' }, slash.does));
			option.addEventListener('mousedown', (event) => {
				event.preventDefault();
				this.chosen = i;
				this.complete();
			});
			return option;
		}));
		if (this.found.length > 0) {
			this.field.setAttribute('aria-activedescendant', `slash-${this.chosen}`);
			this.list.children[this.chosen]?.scrollIntoView({ block: 'nearest' });
		} else {
			this.field.removeAttribute('aria-activedescendant');
		}
	}
}
