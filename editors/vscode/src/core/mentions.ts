/** A file, folder or symbol that a message mentions with an @, and where in the text. */
export interface Mention {
	/** Without the @ and the quotes. */
	name: string;
	start: number;
	end: number;
}

/** Returns the mentions in a message, in order. */
export function mentions(text: string): Mention[] {
	return [...text.matchAll(/(^|[\s([{,;:])@(?:"([^"\n]+)"|([^\s"@]+))/g)].flatMap((match) => {
		const [whole, before = '', quoted, bare = ''] = match;
		const name = quoted ?? bare.replace(/[.,;:!?)\]}]+$/, '');
		const start = match.index + before.length;
		return name === '' ? [] : [{ name, start, end: quoted !== undefined ? match.index + whole.length : start + 1 + name.length }];
	});
}

/** Returns a message without one of its mentions. */
export function without(text: string, { start, end }: Mention): string {
	const after = text.slice(end);
	return text.slice(0, start) + (start === 0 || /\s$/.test(text.slice(0, start)) ? after.replace(/^ /, '') : after);
}

/** Slash commands that come with a request. */
const asks = /^\s*\/(?:plan|ask|text|heap|new|apart|template)\b/;

/** Reports whether a message is a request, which the place in the editor can go with: a slash command that decides has none. */
export const isRequest = (text: string): boolean => !/^\s*\/[a-z]/i.test(text) || asks.test(text);
