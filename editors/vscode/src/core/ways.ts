import type { Plan } from '../protocol';
import { isDecidable, runnable, stale, waiting } from './plans';
import { wantsSetup } from './setup';
import { isUnsaved, planOfMessage, triedOn, waitsForSave } from './transcript';
import { isFixable } from './trials';

/** What can be done next about a message. */
export type Way = 'saveAll' | 'setup' | 'fix' | 'output' | 'review' | 'rest' | 'rework' | 'retry' | 'chat';

export interface WayOn {
	way: Way;
	label: string;
}

const labels: Record<Way, string> = {
	saveAll: 'Save All', setup: 'Set Up a Model…', fix: 'Fix', output: 'Show Output', review: 'Review', rest: 'Approve the Rest', rework: 'Rework…', retry: 'Retry', chat: 'Open Chat',
};

/** Reports whether a text is the name of a way. */
export const isWay = (text: unknown): text is Way => typeof text === 'string' && Object.hasOwn(labels, text);

/** Returns the plan that a message is about, or undefined. */
export const planIn = (message: string): number | undefined => triedOn(message) ?? planOfMessage(message) ?? number(/\b[Pp]lan (\d+)\b/.exec(message)?.[1]);

const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/**
 * Returns the buttons of a message of the server, the usual one first. A message about a plan leads to what comes next for
 * that; none approves what was not looked at, but for the rest of a plan that was decided on. isError: it must lead on.
 */
export function waysOf(message: string, plan: Plan | undefined, isError: boolean): WayOn[] {
	const ways = (...list: Way[]): WayOn[] => list.map((way) => ({ way, label: labels[way] }));
	if (waitsForSave(message)) {
		return [{ way: 'saveAll', label: 'Save All and Run' }];
	}
	if (isUnsaved(message)) {
		return ways('saveAll');
	}
	if (wantsSetup(message)) {
		return ways('setup', 'retry');
	}
	const next = plan === undefined ? [] : nextOf(plan);
	if (triedOn(message) !== undefined) {
		return ways(...next.filter((way) => way === 'fix'), 'output');
	}
	if (next.length > 0) {
		return ways(...next);
	}
	return isError ? ways(...(isRefusal(message) || plan !== undefined ? [] : ['retry' as const]), 'chat') : [];
}

/** Reports whether a message only says how to ask: the same request would be refused again. */
const isRefusal = (message: string): boolean => /\b(?:There is no |must say|is empty)/.test(message);

function nextOf(plan: Plan): Way[] {
	if (!isDecidable(plan)) {
		return [];
	}
	const left = waiting(plan), unfit = stale(plan);
	return [
		...(isFixable(plan) ? ['fix' as const] : []),
		...(unfit > 0 && left > unfit ? ['rest' as const] : []),
		...(unfit > 0 ? ['rework' as const] : []),
		...(left > 0 || runnable(plan).length > 0 || plan.textOnly === true ? ['review' as const] : []),
	];
}
