import type { Entry, Step, TurnEntry } from './transcript';

/** The part of the chat that is kept for the next window: its end, within limits. */
export interface Kept {
	conversation?: string;
	entries: Entry[];
}

const mostKept = 60;
const mostLetters = 200_000;
const longest = 20_000;

/** Returns the part of a chat to keep. */
export function toKeep(entries: readonly Entry[], conversation: string | undefined): Kept {
	const kept: Entry[] = [];
	let letters = 0;
	for (const entry of entries.slice(-mostKept).reverse()) {
		const small = entry.kind === 'note' ? { ...entry, text: cut(entry.text) } : { ...entry, request: cut(entry.request), answer: cut(entry.answer), thinking: '', steps: entry.steps.map(withoutThought) };
		letters += JSON.stringify(small).length;
		if (letters > mostLetters) {
			break;
		}
		kept.unshift(small);
	}
	return { ...(conversation !== undefined && { conversation }), entries: kept };
}

/** Thoughts are not kept: they may have anything in them that the model has read. */
const withoutThought = (step: Step): Step => ('thought' in step ? { did: step.took > 0 ? `thought for ${step.took} s` : 'thought' } : step);

const cut = (text: string): string => (text.length > longest ? text.slice(0, longest) + '…' : text);

/** Reads what any version has kept, and skips what it cannot read. */
export function fromKept(value: unknown): Kept {
	const { conversation, entries } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
	return {
		...(typeof conversation === 'string' && { conversation }),
		entries: Array.isArray(entries) ? entries.flatMap(asEntry) : [],
	};
}

function asEntry(value: unknown): Entry[] {
	const e = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
	const text = (name: string) => (typeof e[name] === 'string' ? e[name] : '');
	if (e['kind'] === 'note') {
		return [{ kind: 'note', id: '', text: text('text'), tone: e['tone'] === 'error' ? 'error' : 'info' }];
	}
	if (e['kind'] !== 'turn') {
		return [];
	}
	const entry: TurnEntry = { kind: 'turn', id: '', turn: '', request: text('request'), answer: text('answer'), steps: steps(e['steps']), doing: '', thinking: '', state: text('state') || 'done', notes: texts(e['notes']), output: text('output') };
	if (text('error') !== '') {
		entry.error = text('error');
	}
	for (const name of ['trace', 'about', 'model', 'agent', 'outside'] as const) {
		if (text(name) !== '') {
			entry[name] = text(name);
		}
	}
	if (typeof e['took'] === 'number') {
		entry.took = e['took'];
	}
	if (typeof e['plan'] === 'number') {
		entry.plan = e['plan'];
	}
	const q = e['question'] as { text?: unknown; options?: unknown } | undefined;
	if (typeof q?.text === 'string' && Array.isArray(q.options)) {
		entry.question = { text: q.text, options: texts(q.options) };
	}
	return [entry];
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []);

const steps = (value: unknown): Step[] => (Array.isArray(value) ? (value as unknown[]) : []).flatMap((one): Step[] => {
	const { said, did, took } = (typeof one === 'object' && one !== null ? one : {}) as Record<string, unknown>;
	return typeof said === 'string' ? [{ said }] : typeof did === 'string' ? [{ did, ...(typeof took === 'number' && { took }) }] : [];
});
