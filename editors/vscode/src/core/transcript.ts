import type { Event } from '../protocol';
import { Emitter } from './emitter';

export interface Question {
	text: string;
	options: string[];
}

/** A step of a turn: what the model said before it went on, what was done, or what it thought. `took`: seconds. */
export type Step = { said: string } | { did: string; took?: number } | { thought: string; took: number };

/** A request and its result. */
export interface TurnEntry {
	kind: 'turn';
	id: string;
	turn: string;
	request: string;
	/** The place in the editor that went with it: “a.go:3–9”. */
	about?: string;
	/** What the model says now, or its last words. */
	answer: string;
	/** What came before the answer, oldest first. */
	steps: Step[];
	/** What it is doing now, and the tool that does it. */
	doing: string;
	tool?: string;
	/** When that began, in milliseconds. */
	since?: number;
	/** What the model thinks now; only the end is kept. */
	thinking: string;
	/** Which retry comes or runs, when the request is sent, and when it is given up, in milliseconds. */
	retry?: { number: number; at: number; until: number };
	/** When the turn began, and how many seconds it took. */
	begun?: number;
	took?: number;
	/** Who works: the model, the agent that the user chose for the conversation, or an outside agent. */
	model?: string;
	agent?: string;
	outside?: string;
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

/** `append`: the model says or thinks more. */
export type Change = { type: 'entry'; entry: Entry } | { type: 'append'; id: string; to: 'answer' | 'thinking'; text: string } | { type: 'all' };

const mostEntries = 200;
/** The most steps of a turn that are kept: the last ones. */
const mostSteps = 100;
const mostOutput = 4000;
/** The most letters of a thought that are kept. */
const mostThought = 20_000;

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

	/** Shows what was said in another conversation: removes earlier entries, except running turns. */
	open(entries: Entry[]): void {
		this.entries = [...entries, ...this.entries.filter((e) => e.kind === 'turn' && isRunning(e))].slice(-mostEntries);
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
			this.does(entry, '');
		}
		return hit;
	}

	/** Notes the request of a turn, and the place in the editor that it is about. The turn may have begun already. */
	sent(turn: string, request: string, about?: string): void {
		const entry = this.turn(turn);
		entry.request = request;
		if (about !== undefined) {
			entry.about = about;
		}
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
					this.changed.fire({ type: 'append', id: entry.id, to: 'answer', text: event.text });
				}
				break;
			}
			case 'thought': {
				const entry = this.turn(event.turn);
				if (event.text) {
					entry.thinking = (entry.thinking + event.text).slice(-mostThought);
					this.changed.fire({ type: 'append', id: entry.id, to: 'thinking', text: event.text });
				}
				break;
			}
			case 'doing':
				this.update(event.turn, (entry) => {
					this.does(entry, event.text ?? '', event.name);
					if (event.name === 'retry') {
						this.retries(entry, event);
					}
				});
				break;
			case 'tool':
				this.update(event.turn, (entry) => {
					const did = event.summary ?? event.name ?? '';
					const took = event.name !== undefined && entry.tool === event.name ? this.lasted(entry) : 0;
					this.does(entry, did);
					this.did(entry, did, took);
				});
				break;
			case 'trace': // the model that is asked
				if (event.step?.kind === 'request' && event.step.name) {
					const { name } = event.step;
					this.update(event.turn, (entry) => (entry.model = name));
				}
				break;
			case 'route':
				if (event.agent) {
					const { agent } = event;
					this.update(event.turn, (entry) => (entry.agent = agent));
				}
				break;
			case 'staged':
				this.update(event.turn, (entry) => this.does(entry, `staged a change to ${event.path ?? 'a file'}`));
				break;
			case 'outside':
				this.update(event.turn, (entry) => {
					if (event.name) {
						entry.outside = event.name;
					}
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

	/** Notes what a turn does now, and with which tool. */
	private does(entry: TurnEntry, doing: string, tool?: string): void {
		const again = doing === entry.doing && tool === entry.tool;
		if (!again) {
			this.thought(entry);
			entry.since = this.now();
		}
		entry.doing = doing;
		delete entry.retry;
		delete entry.tool;
		if (tool !== undefined) {
			entry.tool = tool;
		}
	}

	/** Notes that a request is sent to the model again. */
	private retries(entry: TurnEntry, { text = '', retry = 1, waitMs = 0, giveUpMs = 0 }: Event): void {
		const now = this.now();
		entry.since = now;
		entry.retry = { number: retry, at: now + waitMs, until: now + Math.max(giveUpMs, waitMs) };
		this.did(entry, `retry ${retry}: ${text}`);
	}

	/** Adds what the model has thought until now as a step; without its words, only how long it took. */
	private thought(entry: TurnEntry): void {
		const thought = entry.thinking.trim(), took = isThinking(entry) ? this.lasted(entry) : 0;
		entry.thinking = '';
		if (thought !== '' || took > 0) {
			this.narrated(entry);
			this.step(entry, thought !== '' ? { thought, took } : { did: `thought for ${took} s` });
		}
	}

	/** Returns for how many seconds the turn has done what it does now. */
	private lasted(entry: TurnEntry): number {
		return Math.round((this.now() - (entry.since ?? this.now())) / 1000);
	}

	/** Adds a step. What the model has said until now comes before it, and stays. */
	private did(entry: TurnEntry, did: string, took = 0): void {
		this.narrated(entry);
		if (did !== '') {
			this.step(entry, { did, ...(took > 0 && { took }) });
		}
	}

	private step(entry: TurnEntry, step: Step): void {
		entry.steps.push(step);
		entry.steps = entry.steps.slice(-mostSteps);
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
		entry.notes = entry.notes.filter((note) => !answer.includes(note)); // the server sends some answers as messages too
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
		const entry: TurnEntry = { kind: 'turn', id, turn, request: '', answer: '', steps: [], doing: '', thinking: '', state: 'queued', notes: [], output: '' };
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

/** Reports whether the model thinks now, by what is shown of it. */
const isThinking = ({ doing }: TurnEntry): boolean => /\bthinking$/.test(doing);

/** Returns what a turn does now, with the seconds that it has lasted, or those until the model is asked again. */
export function doingNow({ doing, since, retry }: TurnEntry, now: number): string {
	const text = doing || 'working', left = (until: number) => Math.ceil((until - now) / 1000);
	if (retry && retry.at > now) {
		return `Retry ${retry.number} in ${left(retry.at)} s (gives up in ${left(retry.until)} s): ${text}`;
	}
	const lasted = Math.floor((now - (retry?.at ?? since ?? now)) / 1000);
	if (retry) {
		return `Retry ${retry.number}: waiting for the model · ${lasted} s`;
	}
	return text.charAt(0).toUpperCase() + text.slice(1) + (lasted > 0 ? ` · ${lasted} s` : '…');
}

/** Returns who worked on a turn: “gpt-4.1, as reviewer”, “claude, in a copy”; "" if that is not known. */
export function workerOf({ model, agent, outside }: TurnEntry): string {
	const who = outside !== undefined ? `${outside}, in a copy` : model ?? '';
	return agent === undefined ? who : who === '' ? agent : `${who}, as ${agent}`;
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

/** Splits the answer of a turn that tried commands into the verdicts, and the output of those that failed. Others stay whole. */
export function verdictOf(answer: string): [verdict: string, output: string] {
	if (!/^`[^\n]*` [^\n]* on what plan \d+ proposes, after /.test(answer)) {
		return [answer, ''];
	}
	const verdicts: string[] = [], outputs: string[] = [];
	let marks = '';
	for (const line of answer.split('\n')) {
		const fence = /^(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
		const inside = marks !== '';
		if (fence !== '' && (marks === '' || fence === marks)) {
			marks = inside ? '' : fence;
		}
		(inside || fence !== '' ? outputs : verdicts).push(line);
	}
	return [verdicts.join('\n').trim(), outputs.join('\n')];
}

/** Returns a message of the server as a sentence, with a capital unless it begins with a file name. */
export const sentence = (message: string): string =>
	message.replace(/^Redline: /, '').replace(/^\p{Ll}+(?=[\s:,]|$)/u, (word) => word.charAt(0).toUpperCase() + word.slice(1));
