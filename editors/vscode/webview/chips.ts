import type { Attached } from '../src/chat/messages';
import { isRequest, mentions, without } from '../src/core/mentions';
import { element } from './element';

/** Shows above the field what goes with the message: the place in the editor, and what it mentions. Each can be taken out. */
export class Chips {
	private attached: Attached | undefined;
	/** The place that the user has taken out; it stays out until the place changes. */
	private out = '';

	constructor(
		private readonly list: HTMLUListElement,
		private readonly field: { text: string; focus(): void },
	) {}

	/** Takes the place in the editor, undefined for none. */
	attach(attached: Attached | undefined): void {
		this.attached = attached;
		if (attached === undefined || this.out !== keyOf(attached)) {
			this.out = '';
		}
		this.draw();
	}

	/** Returns what goes with a text, undefined for nothing. */
	goesWith(text: string): Attached | undefined {
		return this.attached && this.out === '' && isRequest(text) ? this.attached : undefined;
	}

	/** Draws the chips for the text in the field. */
	draw(): void {
		const { text } = this.field, place = this.goesWith(text);
		this.list.replaceChildren(
			...(place ? [chip(place.label, `${place.path} goes with the message`, () => (this.out = keyOf(place)), 'place', this)] : []),
			...mentions(text).map((mention) => chip(`@${mention.name.split('/').filter((part) => part !== '').at(-1) ?? ''}`, `${mention.name} is mentioned`, () => (this.field.text = without(this.field.text, mention)), 'mention', this)),
		);
		this.list.hidden = this.list.childElementCount === 0;
	}

	/** Draws anew after a chip was taken out, and gives the keyboard back to the field. */
	taken(): void {
		this.draw();
		this.field.focus();
	}
}

const keyOf = ({ path, label }: Attached): string => `${path} ${label}`;

function chip(label: string, title: string, take: () => void, kind: string, chips: Chips): HTMLElement {
	const remove = element('button', { type: 'button', 'aria-label': `Remove ${label}`, title: 'Remove' }, '×');
	remove.addEventListener('click', () => {
		take();
		chips.taken();
	});
	return element('li', { class: `chip ${kind}`, title }, element('span', { class: 'label' }, label), remove);
}
