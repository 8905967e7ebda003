import type { Entry } from '../core/transcript';
import { isWay, type Way } from '../core/ways';
import type { Workers } from '../core/worker';
import type { Completions, Plan, Standing } from '../protocol';

/** The messages between the extension and the chat page. */

/** The place in the editor that goes with the next message, as it is shown. */
export interface Attached {
	label: string;
	path: string;
}

export type ToView =
	| { type: 'init'; entries: readonly Entry[]; plans: Plan[]; standing: Standing; trusted: boolean; connected: boolean; starting: boolean; builtin: boolean; workers: Workers }
	| { type: 'entry'; entry: Entry }
	| { type: 'append'; id: string; to: 'answer' | 'thinking'; text: string }
	| { type: 'plan'; plan: Plan }
	/** Whether trials are allowed: never in an untrusted workspace. */
	| { type: 'trials'; standing: Standing }
	| { type: 'server'; connected: boolean; starting: boolean; trusted: boolean }
	/** Whether the built-in model is in use, and who can work instead of it. */
	| { type: 'model'; builtin: boolean; workers: Workers }
	| { type: 'prompt'; text: string }
	| { type: 'attach'; attached?: Attached }
	/** Completions for the text. */
	| ({ type: 'completions'; text: string } & Completions);

/** A button of a plan's card. */
export type Act = 'approve' | 'commands' | 'reject' | 'review' | 'undo' | 'preview' | 'fix' | 'try' | 'allow' | 'good' | 'bad' | 'saveAll' | 'rework' | 'again';

export type ToExtension =
	| { type: 'ready' }
	/** The page has got the keyboard: the selection in the editor may have changed. */
	| { type: 'look' }
	/** Sends a message. `with`: the model or agent for this conversation from now on. `place`: whether to send the place in the editor too. */
	| { type: 'send'; text: string; with?: string; place?: true }
	/** Copies the text of a code block. */
	| { type: 'copy'; text: string }
	| { type: 'cancel'; turn: string }
	/** Asks for completions at the end of a text. */
	| { type: 'complete'; text: string }
	/** Shows the output of a trial. */
	| { type: 'output'; plan: number; trial: string }
	/** Opens the place of a problem that a plan adds: a file as in the problem, and its line (from 0). */
	| { type: 'problem'; plan: number; path: string; line: number }
	/** Shows a trace, by its id. */
	| { type: 'trace'; trace: string }
	/** Presses a button of a message, about a plan if it names one. */
	| { type: 'way'; way: Way; plan?: number }
	/** Presses a button of a card, for the revision that it showed. `leaveOut`: the button leaves out stale changes. */
	| { type: 'act'; act: Act; plan: number; revision: number; hash: string; leaveOut: boolean };

/** Reads a message of the page, and checks its types: a web page is not trusted. Returns undefined if it is invalid. */
export function read(message: unknown): ToExtension | undefined {
	if (typeof message !== 'object' || message === null) {
		return undefined;
	}
	const m = message as Record<string, unknown>;
	switch (m['type']) {
		case 'ready':
		case 'look':
			return { type: m['type'] };
		case 'send':
			return typeof m['text'] === 'string' ? { type: 'send', text: m['text'], ...(typeof m['with'] === 'string' && { with: m['with'] }), ...(m['place'] === true && { place: true }) } : undefined;
		case 'copy':
			return typeof m['text'] === 'string' ? { type: 'copy', text: m['text'] } : undefined;
		case 'complete':
			return typeof m['text'] === 'string' ? { type: 'complete', text: m['text'] } : undefined;
		case 'cancel':
			return typeof m['turn'] === 'string' ? { type: 'cancel', turn: m['turn'] } : undefined;
		case 'output':
			return typeof m['plan'] === 'number' && typeof m['trial'] === 'string' ? { type: 'output', plan: m['plan'], trial: m['trial'] } : undefined;
		case 'problem':
			return typeof m['plan'] === 'number' && typeof m['path'] === 'string' && typeof m['line'] === 'number' ? { type: 'problem', plan: m['plan'], path: m['path'], line: m['line'] } : undefined;
		case 'way':
			return isWay(m['way']) ? { type: 'way', way: m['way'], ...(typeof m['plan'] === 'number' && { plan: m['plan'] }) } : undefined;
		case 'trace':
			return typeof m['trace'] === 'string' ? { type: 'trace', trace: m['trace'] } : undefined;
		case 'act': {
			const { act, plan, revision, hash, leaveOut } = m;
			const known = ['approve', 'commands', 'reject', 'review', 'undo', 'preview', 'fix', 'try', 'allow', 'good', 'bad', 'saveAll', 'rework', 'again'];
			return typeof act === 'string' && known.includes(act) && typeof plan === 'number' && typeof revision === 'number' && typeof hash === 'string'
				? { type: 'act', act: act as Act, plan, revision, hash, leaveOut: leaveOut === true } : undefined;
		}
		default:
			return undefined;
	}
}
