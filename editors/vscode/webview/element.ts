/** Makes an element with attributes and children; texts become text nodes, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
	name: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		made.setAttribute(key, value);
	}
	made.append(...children);
	return made;
}
