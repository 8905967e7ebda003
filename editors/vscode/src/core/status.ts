import { count } from './plans';

/** Computes the text of the status bar item. */

export type Server = 'starting' | 'running' | 'stopped' | 'failed' | 'missing';

export interface Situation {
	server: Server;
	/** What each running turn is doing, newest last. */
	doing: string[];
	/** How many changes wait for the user. */
	waiting: number;
	trusted: boolean;
}

export interface Shown {
	text: string;
	tooltip: string;
	kind: 'plain' | 'error' | 'waiting';
}

const longest = 40;

export function statusOf(s: Situation): Shown {
	switch (s.server) {
		case 'missing':
			return { text: '$(error) Redline', tooltip: 'Redline: program not found. Click to fix this.', kind: 'error' };
		case 'failed':
			return { text: '$(error) Redline', tooltip: 'Redline: the server ended. Click to restart it or to see the log.', kind: 'error' };
		case 'stopped':
			return { text: '$(circle-slash) Redline', tooltip: 'Redline is stopped. Click to start it.', kind: 'plain' };
		case 'starting':
			return { text: '$(sync~spin) Redline', tooltip: 'Redline is starting.', kind: 'plain' };
	}
	const waits = s.waiting > 0 ? `${count(s.waiting, 'change')} ${s.waiting === 1 ? 'waits' : 'wait'} for you.` : '';
	if (s.doing.length > 0) {
		const newest = s.doing[s.doing.length - 1] || 'working';
		const more = s.doing.length > 1 ? ` (${s.doing.length} turns)` : '';
		return { text: `$(sync~spin) Redline: ${shorten(newest)}${more}`, tooltip: `Redline: ${newest}. Click to cancel. ${waits}`.trim(), kind: 'plain' };
	}
	if (s.waiting > 0) {
		return { text: `$(diff) Redline: ${count(s.waiting, 'change')}`, tooltip: `Redline: ${waits} Click to decide.`, kind: 'waiting' };
	}
	const note = s.trusted ? '' : ' This workspace is not trusted: you can only look at plans.';
	return { text: s.trusted ? '$(edit) Redline' : '$(eye) Redline', tooltip: `Redline: no changes wait for you.${note}`, kind: 'plain' };
}

function shorten(text: string): string {
	const line = text.split('\n')[0] ?? '';
	// `$(` would begin an icon.
	const plain = line.replaceAll('$(', '$ (');
	return plain.length > longest ? plain.slice(0, longest - 1) + '…' : plain;
}
