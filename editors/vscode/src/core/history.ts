import type { Conversation } from '../protocol';
import type { Entry } from './transcript';

/** Returns what was said in an earlier conversation as entries of the chat. Ids differ from those of turns. */
export function entriesOf({ conversation, summary, exchanges = [] }: Conversation): Entry[] {
	const before: Entry[] = summary === undefined ? [] : [{ kind: 'note', id: `h${conversation}`, text: `Earlier, in short: ${summary}`, tone: 'info' }];
	return [...before, ...exchanges.map(({ request, answer, plan, trace }, i): Entry => ({
		kind: 'turn', id: `h${conversation}-${i}`, turn: '', request, answer, steps: [], doing: '', thinking: '', state: 'done', notes: [], output: '',
		...(plan !== undefined && { plan }), ...(trace !== undefined && { trace }),
	}))];
}

/** Returns when something was, in short: “14:05”, “yesterday”, “3 days ago”, “2026-03-09”. */
export function ago(time: string, now: Date): string {
	const at = new Date(time), midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
	const days = Math.round((midnight(now) - midnight(at)) / 86_400_000), two = (n: number) => String(n).padStart(2, '0');
	if (days <= 0) {
		return `${two(at.getHours())}:${two(at.getMinutes())}`;
	}
	return days === 1 ? 'yesterday' : days < 7 ? `${days} days ago` : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
