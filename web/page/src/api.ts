// The way to the server: each request has the token in a header. There are no cookies.
import type { Answer, Comment, Decision, File, Row, Side } from './types';

/** Why a request was refused: the server's sentence, and its status; 0 if nothing answered. */
export class Refusal extends Error {
	constructor(readonly status: number, message: string) {
		super(message);
	}
}

export interface Decided { way?: 'disk' | 'editor'; sentences?: string[]; commandFailed?: string }

/** One line of the stream of events. */
export interface Event { seq: number; kind: string; text?: string }

/** Takes the token out of the address, where it must not stay, and keeps it for this tab. */
export function takeToken(): string {
	const key = 'redline.token';
	const found = /(?:^#|&)token=([\w.~-]+)/.exec(location.hash)?.[1];
	if (found !== undefined) {
		sessionStorage.setItem(key, found);
		history.replaceState(null, '', location.pathname + location.search);
	}
	return found ?? sessionStorage.getItem(key) ?? '';
}

export class Server {
	constructor(private token: string) {}

	get known(): boolean {
		return this.token !== '';
	}

	/** Trades the short code for the token. */
	async enter(code: string): Promise<void> {
		const { token } = await this.ask<{ token: string }>('POST', 'code', { code });
		this.token = token;
		sessionStorage.setItem('redline.token', token);
	}

	plan(): Promise<Answer> { return this.ask('GET', 'plan'); }
	file(id: string): Promise<File> { return this.ask('GET', `file?path=${encodeURIComponent(id)}`); }
	context(id: string, from: number, to: number): Promise<{ rows: Row[]; lines: number }> {
		return this.ask('GET', `context?path=${encodeURIComponent(id)}&from=${from}&to=${to}`);
	}
	preview(decision: Decision): Promise<{ sentences: string[] }> { return this.ask('POST', 'preview-decision', decision); }
	decide(decision: Decision): Promise<Decided> { return this.ask('POST', 'decide', decision); }
	hunk(id: string): Promise<{ text: string }> { return this.ask('GET', `hunk?id=${encodeURIComponent(id)}`); }
	undo(revision: number, hash: string): Promise<Decided> { return this.ask('POST', 'undo', { revision, hash }); }
	comment(revision: number, path: string, line: number, side: Side, text: string): Promise<Pick<Comment, 'id'>> {
		return this.ask('POST', 'comments', { revision, path, line, side, text });
	}
	uncomment(id: string): Promise<object> { return this.ask('DELETE', `comments/${encodeURIComponent(id)}`); }
	rework(revision: number, hash: string, text: string): Promise<object> {
		return this.ask('POST', 'rework', { revision, hash, ...(text === '' ? {} : { text }) });
	}
	edit(revision: number, hash: string, path: string, hunk: string, text: string): Promise<object> {
		return this.ask('POST', 'edit', { revision, hash, path, hunk, text });
	}
	see(revision: number, path: string, seen: boolean): Promise<object> { return this.ask('POST', 'seen', { revision, path, seen }); }
	close(): Promise<{ sentences: string[] }> { return this.ask('POST', 'close', {}); }

	/** Reads events until the connection ends; each line, a ping too, calls heard. */
	async events(since: number, signal: AbortSignal, heard: (event: Event) => void): Promise<void> {
		const response = await this.send('GET', `events?since=${since}`, undefined, signal);
		if (!response.ok || response.body === null) {
			throw await refusal(response);
		}
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		for (let rest = ''; ;) {
			const { done, value } = await reader.read();
			if (done) {
				return;
			}
			const lines = (rest + value).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines.filter((one) => one !== '')) {
				heard(JSON.parse(line) as Event);
			}
		}
	}

	private async ask<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await this.send(method, path, body);
		if (!response.ok) {
			throw await refusal(response);
		}
		return await response.json() as T;
	}

	private async send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
		try {
			return await fetch(`/api/${path}`, {
				method, cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
				headers: { ...(this.known && { Authorization: `Redline ${this.token}` }), ...(body && { 'Content-Type': 'application/json' }) },
				...(body && { body: JSON.stringify(body) }), ...(signal && { signal }),
			});
		} catch {
			throw new Refusal(0, 'Redline does not answer.');
		}
	}
}

async function refusal(response: Response): Promise<Refusal> {
	let sentence = '';
	try {
		const body = await response.json() as { error?: unknown };
		sentence = typeof body.error === 'string' ? body.error : '';
	} catch { /* an answer without a sentence */ }
	return new Refusal(response.status, sentence || `Redline refused that (${response.status}).`);
}
