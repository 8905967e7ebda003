import type { Event } from '../protocol';
import { Emitter } from './emitter';

export interface Question {
	text: string;
	options: string[];
}

/** A step of a turn: what the model said before it went on, or what was done. */
export type Step = { said: string } | { did: string };

/** A request and its result. */
export interface TurnEntry {
	kind: 'turn';
	id: string;
	turn: string;
	request: string;
	/** What the model says now, or its last words. */
	answer: string;
	/** What came before the answer, oldest first. */
	steps: Step[];
	/** What it is doing now. */
	doing: string;
	/** When that began, and when the request is sent to the model again, in milliseconds. */
	since?: number;
	again?: number;
	/** When the turn began, and how many seconds it took. */
	begun?: number;
	took?: number;
	/** How many times the request was sent again. */
	retries?: number;
	/** queued, running, waiting (for an answer), done, failed, cancelled, or interrupted (the server ended first). */
	state: string;
	error?: string;
	plan?: number;
	/** The id of its trace, if there is one. */
	trace?: string;
	question?: Question;
	/** Other messages of Redline, before there was an answer. */
	notes: string[];
	/** The output of its commands; only the end is kept. */
	output: string;
	/** The output is of an agent that works in a copy: it is shown until the agent is done. */
	passing?: boolean;
}

/** A message of Redline that belongs to no request. */
export interface NoteEntry {
	kind: 'note';
	id: string;
	text: string;
	tone: 'info' | 'error';
}

export type Entry = TurnEntry | NoteEntry;

export type Change = { type: 'entry'; entry: Entry } | { type: 'append'; id: string; text: string } | { type: 'all' };

const mostEntries = 200;
/** The most steps of a turn that are kept: the last ones. */
const mostSteps = 100;
const mostOutput = 4000;

/** Builds what the chat view shows from events. It outlives the server: turn names start again with each connection. */
export class Transcript {
	readonly changed = new Emitter<Change>();
	private entries: Entry[] = [];
	private connection = 0;
	private notes = 0;

	/** now returns the time in milliseconds. */
	constructor(private readonly now: () => number = Date.now) {}

	all(): readonly Entry[] {
		return this.entries;
	}

	/** Restores what an earlier window has kept; turns that ran then count as interrupted. */
	restore(entries: Entry[]): void {
		const names = entries.map((entry, i) => ({ ...entry, id: `k${i}` }));
		this.entries = [...names, ...this.entries].slice(-mostEntries);
		this.interrupt(names);
		this.changed.fire({ type: 'all' });
	}

	/** Begins a new conversation with a turn: removes earlier entries, except running turns. */
	anew(turn: string): void {
		const id = this.idOf(turn);
		this.entries = this.entries.filter((e) => e.id === id || (e.kind === 'turn' && isRunning(e)));
		this.changed.fire({ type: 'all' });
	}

	/** Interrupts the turns of the previous server, when a new one is connected. */
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

	/** Notes the request of a turn, which may have begun already. */
	sent(turn: string, request: string): void {
		const entry = this.turn(turn);
		entry.request = request;
		this.told(entry);
	}

	/**
	 * Adds another message of Redline, such as that changes are not saved. If a running request has no answer yet, the
	 * message goes before it, to keep the order of events.
	 */
	said(text: string): void {
		const now = this.entries.at(-1);
		if (now?.kind === 'turn' && now.state === 'running' && now.answer === '' && now.steps.length === 0 && now.output === '') {
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
				entry.begun = this.now();
				this.does(entry, '');
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
			case 'doing':
				this.update(event.turn, (entry) => this.does(entry, event.text ?? '', event.name === 'retry' ? (event.waitMs ?? 0) : undefined));
				break;
			case 'tool':
				this.update(event.turn, (entry) => {
					const did = event.summary ?? event.name ?? '';
					this.does(entry, did);
					this.did(entry, did);
				});
				break;
			case 'staged':
				this.update(event.turn, (entry) => this.does(entry, `staged a change to ${event.path ?? 'a file'}`));
				break;
			case 'outside':
				this.update(event.turn, (entry) => {
					if (event.step) {
						this.does(entry, event.step.summary ?? '');
						this.did(entry, event.step.summary ?? '');
					} else {
						entry.output = (entry.output + (event.text ?? '')).slice(-mostOutput);
						entry.passing = true;
					}
				});
				break;
			case 'command':
				this.update(event.turn, (entry) => (entry.output = (entry.output + (event.text ?? '')).slice(-mostOutput)));
				break;
			case 'trial': // the plan keeps the output
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
					this.does(entry, '');
					if (entry.begun !== undefined) {
						entry.took = Math.round((this.now() - entry.begun) / 1000);
					}
					this.concludes(entry, event.answer ?? '');
					if (event.trace) {
						entry.trace = event.trace;
					}
					if (event.error) {
						entry.error = event.error;
					}
					if (entry.passing && entry.state === 'done') { // the answer has what the agent says
						entry.output = '';
					}
				});
				break;
		}
	}

	/** Notes what a turn does now. again: milliseconds until the request is sent again. */
	private does(entry: TurnEntry, doing: string, again?: number): void {
		const now = this.now(), thought = /\bthinking$/.test(entry.doing) ? Math.round((now - (entry.since ?? now)) / 1000) : 0;
		if (thought > 0 && doing !== entry.doing) {
			this.did(entry, `thought for ${thought} s`);
		}
		if (doing !== entry.doing || again !== undefined) {
			entry.since = now;
		}
		entry.doing = doing;
		delete entry.again;
		if (again !== undefined) {
			entry.again = now + again;
			entry.retries = (entry.retries ?? 0) + 1;
			this.did(entry, `asking again, ${ordinal(entry.retries)} retry: ${doing}`);
		}
	}

	/** Adds a step. What the model has said until now comes before it, and stays. */
	private did(entry: TurnEntry, did: string): void {
		this.narrated(entry);
		if (did !== '') {
			entry.steps.push({ did });
			entry.steps = entry.steps.slice(-mostSteps);
		}
	}

	private narrated(entry: TurnEntry): void {
		if (entry.answer.trim() !== '') {
			entry.steps.push({ said: entry.answer.trim() });
		}
		entry.answer = '';
	}

	/** Takes the answer of a turn that has ended; what the model said before it stays, unless it is in the answer. */
	private concludes(entry: TurnEntry, answer: string): void {
		if (answer === '') {
			entry.answer = entry.answer.trimEnd();
			return;
		}
		if (entry.answer.trim() !== '' && !answer.includes(entry.answer.trim())) {
			this.narrated(entry);
		}
		entry.answer = answer;
		entry.steps = entry.steps.filter((step) => !('said' in step) || !answer.includes(step.said));
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
		const entry: TurnEntry = { kind: 'turn', id, turn, request: '', answer: '', steps: [], doing: '', state: 'queued', notes: [], output: '' };
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

const ordinal = (n: number): string => `${n}${['th', 'st', 'nd', 'rd'][n % 100 > 10 && n % 100 < 14 ? 0 : n % 10] ?? 'th'}`;

/** Returns what a turn does now, with the seconds that it has lasted, or those until the model is asked again. */
export function doingNow({ doing, since, again, retries }: TurnEntry, now: number): string {
	const text = doing || 'working';
	if (again !== undefined && again > now) {
		return `Asking the model again in ${Math.ceil((again - now) / 1000)} s (${ordinal(retries ?? 1)} retry): ${text}`;
	}
	const lasted = Math.floor((now - (again ?? since ?? now)) / 1000);
	if (again !== undefined) {
		return `Waiting for the model after the ${ordinal(retries ?? 1)} retry · ${lasted} s`;
	}
	return text.charAt(0).toUpperCase() + text.slice(1) + (lasted > 0 ? ` · ${lasted} s` : '…');
}

/**
 * Reports whether a message of the server is not in the transcript anyway: the server also sends the end of a turn as a
 * message, for editors without a chat.
 */
export function isNews(message: string, entries: readonly Entry[]): boolean {
	const text = message.replace(/^Redline: /, '');
	if (tellsOfPlan(message) || triedOn(message) !== undefined || text === 'the turn was cancelled.') {
		return false;
	}
	const last = entries.findLast((entry) => entry.kind === 'turn');
	const words = (s: string) => s.replace(/[^\p{L}\p{N}]+/gu, ' ').trim().toLowerCase();
	const told = words(text.replace(/\(The whole answer is in .*\)$/, '').replace(/…$/, ''));
	return !(last && told !== '' && words(`${said(last)} ${last.answer} ${last.error ?? ''}`).includes(told));
}

const said = ({ steps }: TurnEntry): string => steps.map((step) => ('said' in step ? step.said : '')).join(' ');

/** Reports whether a message announces a plan. */
export const tellsOfPlan = (message: string): boolean => /^Redline: plan \d+(, revision \d+,)? is ready/.test(message);

/** Reports whether a message reminds the user to save. */
export const isUnsaved = (message: string): boolean => /\bNot saved yet: /.test(message);

/** Reports whether a message says that a command waits for a save. */
export const waitsForSave = (message: string): boolean => /\bwaits until you have saved /.test(message);

/** Returns the plan that a message begins with, or undefined. */
export function planOfMessage(message: string): number | undefined {
	const plan = /^(?:Redline: )?plan (\d+)\b/i.exec(message)?.[1];
	return plan === undefined ? undefined : Number(plan);
}

/** Returns the plan of a trial from the message about its result, or undefined. */
export function triedOn(message: string): number | undefined {
	const plan = /^Redline: `.*on what plan (\d+) proposes, after /s.exec(message)?.[1];
	return plan === undefined ? undefined : Number(plan);
}

/** Returns a message of the server as a sentence, with a capital unless it begins with a file name. */
export const sentence = (message: string): string =>
	message.replace(/^Redline: /, '').replace(/^\p{Ll}+(?=[\s:,]|$)/u, (word) => word.charAt(0).toUpperCase() + word.slice(1));
