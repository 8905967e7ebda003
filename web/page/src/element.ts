// Elements made from texts that are not to be trusted: a text is only ever a text node.

type Child = Node | string | undefined | false;

/** Makes an element with attributes and children. A string becomes text, see append; `undefined` and `false` are left out. */
export function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		made.setAttribute(key, value);
	}
	for (const child of children) {
		if (typeof child === 'string') {
			append(made, child);
		} else if (child !== undefined && child !== false) {
			made.append(child);
		}
	}
	return made;
}

/** Makes a button whose click runs the action with this name. */
export function button(action: string, label: string, attributes: Record<string, string> = {}): HTMLButtonElement {
	return element('button', { type: 'button', 'data-action': action, ...attributes }, label);
}

// Characters that a reader does not see, or that change the order in which others are drawn.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Appends a text whose unseen characters are drawn as their codes, such as U+202E. */
export function append(to: Node, text: string): void {
	let from = 0;
	for (const found of text.matchAll(unseen)) {
		if (found.index > from) {
			to.appendChild(document.createTextNode(text.slice(from, found.index)));
		}
		const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
		to.appendChild(element('span', { class: 'unseen' }, `U+${code}`));
		from = found.index + found[0].length;
	}
	if (from < text.length) {
		to.appendChild(document.createTextNode(from === 0 ? text : text.slice(from)));
	}
}

/** "1 file", "2 files". */
export function count(n: number, one: string, many = `${one}s`): string {
	return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}
