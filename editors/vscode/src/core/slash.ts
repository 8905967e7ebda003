/** A slash command, as in docs/reference/commands.md. */
export interface Slash {
	name: string;
	argument: string;
	does: string;
}

export const slashCommands: Slash[] = [
	{ name: '/plan', argument: 'request', does: 'start a new plan' },
	{ name: '/ask', argument: 'question', does: 'get an answer, without a plan' },
	{ name: '/text', argument: 'request', does: 'get a plan in words first' },
	{ name: '/heap', argument: 'request', does: 'let several specialists work on it' },
	{ name: '/new', argument: '[request]', does: 'start a new conversation' },
	{ name: '/apart', argument: '', does: 'turn the last request into a separate plan' },
	{ name: '/approve', argument: '[N] [hunk …]', does: 'apply a plan, or some of its changes' },
	{ name: '/reject', argument: '[N] [why]', does: 'reject a plan' },
	{ name: '/try', argument: '[N] [command]', does: 'run a trial on a plan' },
	{ name: '/rework', argument: '[N] [feedback]', does: 'revise a plan; without words: fix what failed' },
	{ name: '/undo', argument: '[N]', does: 'undo a plan' },
	{ name: '/revisions', argument: '[N]', does: 'list the revisions of a plan' },
	{ name: '/rollback', argument: 'N R', does: 'roll back to revision R of a plan' },
	{ name: '/import', argument: 'FILE', does: 'make a new plan from a plan file' },
	{ name: '/rate', argument: '[N] good|bad|1-5', does: 'rate a plan' },
	{ name: '/decide', argument: '[plan|ask]', does: 'choose to decide at the end of a turn, or on each edit' },
	{ name: '/agent', argument: '[NAME|none]', does: 'choose the agent of this conversation, or list them' },
	{ name: '/with', argument: '[NAME|model]', does: 'choose the outside agent that works here, or list them' },
	{ name: '/mode', argument: '[auto|plan|text|ask|heap]', does: 'choose the mode of this conversation' },
	{ name: '/trace', argument: '[turn]', does: 'show what a turn did, step by step' },
	{ name: '/status', argument: '', does: 'show what waits and what runs' },
	{ name: '/retry', argument: '', does: 'send the last request again' },
	{ name: '/cancel', argument: '', does: 'cancel what runs' },
	{ name: '/template', argument: '[NAME …]', does: 'send a request from a template' },
	{ name: '/agents', argument: '', does: 'list the specialists' },
	{ name: '/model', argument: '', does: 'show the model in use' },
	{ name: '/help', argument: '', does: 'list the commands' },
];

/** A completion. */
export interface Suggestion {
	label: string;
	insert: string;
	/** Its arguments, and what it does or is. */
	argument?: string;
	does?: string;
}

/** Returns the commands that begin with the typed text; none once the word is complete. */
export function commandsFor(typed: string): Suggestion[] {
	if (!/^\/[a-z]*$/.test(typed)) {
		return [];
	}
	const found = slashCommands.filter((s) => s.name.startsWith(typed));
	return found.length === 1 && found[0]?.name === typed ? [] : found.map((s) => ({
		label: s.name, insert: s.argument ? `${s.name} ` : s.name, argument: s.argument, does: s.does,
	}));
}

/** Reports whether the server may complete the typed text: files and symbols after an @, or an argument of a command. */
export const isForServer = (typed: string): boolean => /(?:^|[\s([{,;:])@(?:"[^"\n]*|[^\s"]*)$|^\s*\/[a-z]+[ \t]+[^ \t\n]*$/.test(typed);
