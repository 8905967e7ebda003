import type { Event } from '../protocol';
import { Emitter } from './emitter';

export interface Question {
	text: string;
	options: string[];
}

/** A request and what came of it. */
export interface TurnEntry {
	kind: 'turn';
	id: string;
	turn: string;
	request: string;
	answer: string;
	/** What it does at this moment. */
	doing: string;
	/** queued, running, waiting (for an answer), done, failed, cancelled, or interrupted: the server ended first. */
	state: string;
	error?: string;
	plan?: number;
	/** The id of its trace, if anything was recorded of it. */
	trace?: string;
	question?: Question;
	/** What Redline has said besides, before there was an answer. */
	notes: string[];
	/** What its commands print, newest last; only the end is kept. */
	output: string;
}

/** What Redline has said that belongs to no request. */
export interface NoteEntry {
	kind: 'note';
	id: string;
	text: string;
	tone: 'info' | 'error';
}

export type Entry = TurnEntry | NoteEntry;

export type Change = { type: 'entry'; entry: Entry } | { type: 'append'; id: string; text: string } | { type: 'all' };

const mostEntries = 200;
const mostOutput = 4000;

/** What the chat view shows, made from events. It outlives the server: turn names begin anew with each connection. */
export class Transcript {
	readonly changed = new Emitter<Change>();
	private entries: Entry[] = [];
	private connection = 0;
	private notes = 0;

	all(): readonly Entry[] {
		return this.entries;
	}

	/** Takes what an earlier window has kept; what ran then was interrupted. */
	restore(entries: Entry[]): void {
		const names = entries.map((entry, i) => ({ ...entry, id: `k${i}` }));
		this.entries = [...names, ...this.entries].slice(-mostEntries);
		this.interrupt(names);
		this.changed.fire({ type: 'all' });
	}

	/** A new conversation begins with a turn: what was said before goes, unless it still runs. */
	anew(turn: string): void {
		const id = this.idOf(turn);
		this.entries = this.entries.filter((e) => e.id === id || (e.kind === 'turn' && isRunning(e)));
		this.changed.fire({ type: 'all' });
	}

	/** A new server: what the one before had not finished, it never will. */
	connected(): void {
		this.disconnected();
		this.connection++;
	}

	disconnected(): void {
		this.interrupt(this.entries).forEach((entry) => this.told(entry));
	}

	private interrupt(entries: readonly Entry[]): TurnEntry[] {
		const hit = entries.filter((e): e is TurnEntry => e.kind === 'turn' && isRunning(e));
		for (const entry of hit) {
			entry.state = 'interrupted';
			entry.doing = '';
		}
		return hit;
	}

	/** The user has sent a request; it may have begun already. */
	sent(turn: string, request: string): void {
		const entry = this.turn(turn);
		entry.request = request;
		this.told(entry);
	}

	/**
	 * Takes what Redline says besides: that changes are not saved, say. What it says before a request has come to
	 * anything stands before that, so that the last that is read is the last that was so.
	 */
	said(text: string): void {
		const now = this.entries.at(-1);
		if (now?.kind === 'turn' && now.state === 'running' && now.answer === '' && now.output === '') {
			now.notes.push(text);
			this.told(now);
		} else {
			this.note(text, 'info');
		}
	}

	note(text: string, tone: 'info' | 'error'): void {
		this.told(this.add({ kind: 'note', id: `n${++this.notes}`, text, tone }));
	}

	apply(event: Event): void {
		if (event.turn === undefined) {
			return;
		}
		switch (event.kind) {
			case 'turn.started': {
				const entry = this.turn(event.turn);
				entry.state = 'running';
				entry.request ||= event.summary ?? '';
				this.told(entry);
				break;
			}
			case 'token': {
				const entry = this.turn(event.turn);
				if (event.text) {
					entry.answer += event.text;
					this.changed.fire({ type: 'append', id: entry.id, text: event.text });
				}
				break;
			}
			case 'tool':
				this.update(event.turn, (entry) => {
					entry.doing = event.summary ?? event.name ?? '';
					entry.answer = paragraph(entry.answer);
				});
				break;
			case 'staged':
				this.update(event.turn, (entry) => (entry.doing = `staged a change to ${event.path ?? 'a file'}`));
				break;
			case 'command':
				this.update(event.turn, (entry) => (entry.output = (entry.output + (event.text ?? '')).slice(-mostOutput)));
				break;
			case 'trial': // what it has printed is kept with its plan
				this.update(event.turn, (entry) => (entry.output = event.trial ? '' : (entry.output + (event.text ?? '')).slice(-mostOutput)));
				break;
			case 'question':
				this.update(event.turn, (entry) => {
					entry.question = { text: event.text ?? event.question ?? '', options: event.options ?? [] };
				});
				break;
			case 'plan': {
				const number = event.plan?.plan;
				if (number !== undefined) {
					this.update(event.turn, (entry) => (entry.plan = number));
				}
				break;
			}
			case 'turn.finished':
				this.update(event.turn, (entry) => {
					entry.state = event.state ?? 'done';
					entry.doing = '';
					entry.answer = event.answer || entry.answer.trimEnd();
					if (event.trace) {
						entry.trace = event.trace;
					}
					if (event.error) {
						entry.error = event.error;
					}
				});
				break;
		}
	}

	private update(turn: string, change: (entry: TurnEntry) => void): void {
		const entry = this.turn(turn);
		change(entry);
		this.told(entry);
	}

	private told(entry: Entry): void {
		this.changed.fire({ type: 'entry', entry });
	}

	private turn(turn: string): TurnEntry {
		const id = this.idOf(turn);
		const known = this.entries.find((e) => e.id === id);
		if (known?.kind === 'turn') {
			return known;
		}
		const entry: TurnEntry = { kind: 'turn', id, turn, request: '', answer: '', doing: '', state: 'queued', notes: [], output: '' };
		this.add(entry);
		return entry;
	}

	private idOf(turn: string): string {
		return `c${this.connection}-${turn}`;
	}

	private add<E extends Entry>(entry: E): E {
		this.entries.push(entry);
		if (this.entries.length > mostEntries) {
			this.entries = this.entries.slice(-mostEntries);
			this.changed.fire({ type: 'all' });
		}
		return entry;
	}
}

const isRunning = (entry: TurnEntry): boolean => entry.state === 'running' || entry.state === 'queued';

/** Ends a paragraph: what a model says after a call of a tool is another. */
const paragraph = (text: string): string => (text === '' ? text : text.trimEnd() + '\n\n');

/**
 * Tells whether a message of the server says something that the transcript does not show anyway: the end of a turn is
 * told in a message too, for editors that have nothing else.
 */
export function isNews(message: string, entries: readonly Entry[]): boolean {
	const text = message.replace(/^Redline: /, '');
	if (tellsOfPlan(message) || triedOn(message) !== undefined || text === 'the turn was cancelled.') {
		return false;
	}
	const last = entries.findLast((entry) => entry.kind === 'turn');
	const words = (s: string) => s.replace(/[^\p{L}\p{N}]+/gu, ' ').trim().toLowerCase();
	const said = words(text.replace(/\(The whole answer is in .*\)$/, '').replace(/…$/, ''));
	return !(last && said !== '' && words(`${last.answer} ${last.error ?? ''}`).includes(said));
}

/** A message that says that a plan is there. */
export const tellsOfPlan = (message: string): boolean => /^Redline: plan \d+(, revision \d+,)? is ready/.test(message);

/** A message that reminds of saving. */
export const isUnsaved = (message: string): boolean => /\bNot saved yet: /.test(message);

/** The plan that a message says a command was tried on, undefined if it says no such thing. */
export function triedOn(message: string): number | undefined {
	const plan = /^Redline: `.*on what plan (\d+) proposes, after /s.exec(message)?.[1];
	return plan === undefined ? undefined : Number(plan);
}

/** A message of the server as the chat shows it: it begins as a sentence does, unless with the name of a file. */
export const sentence = (message: string): string =>
	message.replace(/^Redline: /, '').replace(/^\p{Ll}+(?=[\s:,]|$)/u, (word) => word.charAt(0).toUpperCase() + word.slice(1));
