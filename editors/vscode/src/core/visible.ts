/** Invisible characters, and those that change the reading order. */
const unseen = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/g;

/** Makes a part of a line visible: tabs become spaces, invisible characters their code points, as in the server. */
export function visible(text: string, tabSize: number): string {
	return text
		.replace(unseen, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
		.replaceAll('\t', ' '.repeat(tabSize))
		.replaceAll(' ', '\u00a0'); // the editor collapses several spaces and drops trailing ones
}

/** Cuts a text to a number of characters, with an ellipsis. */
export function clip(text: string, most: number): string {
	const characters = Array.from(text.length > 2 * most + 2 ? text.slice(0, 2 * most + 2) : text);
	return characters.length > most ? characters.slice(0, most - 1).join('') + '…' : text;
}
