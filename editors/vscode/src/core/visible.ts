/** Characters that are not seen, or that have other ones read in another order. */
const unseen = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/g;

/** A part of a line as it can be drawn beside the text: tabs as spaces, what is not seen by its name, as the server writes it. */
export function visible(text: string, tabSize: number): string {
	return text
		.replace(unseen, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
		.replaceAll('\t', ' '.repeat(tabSize))
		.replaceAll(' ', '\u00a0'); // the editor would join several, and cut off the last
}

/** The text, and an ellipsis in the place of what is beyond a number of characters. */
export function clip(text: string, most: number): string {
	const characters = Array.from(text.length > 2 * most + 2 ? text.slice(0, 2 * most + 2) : text);
	return characters.length > most ? characters.slice(0, most - 1).join('') + '…' : text;
}
