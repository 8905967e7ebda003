import type { Entry } from '../core/transcript';
import type { Completions, Plan, Standing } from '../protocol';

/** What goes between the extension and the chat view. */

export type ToView =
	| { type: 'init'; entries: readonly Entry[]; plans: Plan[]; standing: Standing; trusted: boolean; connected: boolean; builtin: boolean }
	| { type: 'entry'; entry: Entry }
	| { type: 'append'; id: string; text: string }
	| { type: 'plan'; plan: Plan }
	/** Where trials stand: there are none in a workspace that is not trusted. */
	| { type: 'trials'; standing: Standing }
	| { type: 'server'; connected: boolean; trusted: boolean }
	/** Whether only the built-in model answers. */
	| { type: 'model'; builtin: boolean }
	| { type: 'prompt'; text: string }
	/** What can be completed in the text that was asked about. */
	| ({ type: 'completions'; text: string } & Completions);

/** A decision on a plan, bound to what the view showed. */
export type Act = 'approve' | 'commands' | 'reject' | 'review' | 'undo' | 'preview' | 'fix' | 'try' | 'allow' | 'good' | 'bad';

export type ToExtension =
	| { type: 'ready' }
	| { type: 'send'; text: string }
	| { type: 'cancel'; turn: string }
	/** Asks what can be completed at the end of a text. */
	| { type: 'complete'; text: string }
	/** Shows what a trial has printed. */
	| { type: 'output'; plan: number; trial: string }
	/** Shows what was done in a turn, by the id of its trace. */
	| { type: 'trace'; trace: string }
	/** Sets up a model. */
	| { type: 'setup' }
	/** Saves all files, as a message has reminded of. */
	| { type: 'saveAll' }
	/** `leaveOut`: the button said that changes which do not fit any more are left out. */
	| { type: 'act'; act: Act; plan: number; revision: number; hash: string; leaveOut: boolean };

/** Reads a message of the view; undefined if it is none. What comes from a web page is not believed unseen. */
export function read(message: unknown): ToExtension | undefined {
	if (typeof message !== 'object' || message === null) {
		return undefined;
	}
	const m = message as Record<string, unknown>;
	switch (m['type']) {
		case 'ready':
			return { type: 'ready' };
		case 'send':
			return typeof m['text'] === 'string' ? { type: 'send', text: m['text'] } : undefined;
		case 'complete':
			return typeof m['text'] === 'string' ? { type: 'complete', text: m['text'] } : undefined;
		case 'cancel':
			return typeof m['turn'] === 'string' ? { type: 'cancel', turn: m['turn'] } : undefined;
		case 'output':
			return typeof m['plan'] === 'number' && typeof m['trial'] === 'string' ? { type: 'output', plan: m['plan'], trial: m['trial'] } : undefined;
		case 'setup':
		case 'saveAll':
			return { type: m['type'] };
		case 'trace':
			return typeof m['trace'] === 'string' ? { type: 'trace', trace: m['trace'] } : undefined;
		case 'act': {
			const { act, plan, revision, hash, leaveOut } = m;
			const known = ['approve', 'commands', 'reject', 'review', 'undo', 'preview', 'fix', 'try', 'allow', 'good', 'bad'];
			return typeof act === 'string' && known.includes(act) && typeof plan === 'number' && typeof revision === 'number' && typeof hash === 'string'
				? { type: 'act', act: act as Act, plan, revision, hash, leaveOut: leaveOut === true } : undefined;
		}
		default:
			return undefined;
	}
}
