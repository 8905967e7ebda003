/** A slash command, as in docs/reference/commands.md. */
export interface Slash {
	name: string;
	argument: string;
	does: string;
}

export const slashCommands: Slash[] = [
	{ name: '/plan', argument: 'request', does: 'start a new plan' },
	{ name: '/ask', argument: 'question', does: 'answer, without a plan' },
	{ name: '/text', argument: 'request', does: 'a plan in words first' },
	{ name: '/heap', argument: 'request', does: 'let several specialists work on it' },
	{ name: '/new', argument: '[request]', does: 'start a new conversation' },
	{ name: '/apart', argument: '', does: 'make the last request a plan of its own' },
	{ name: '/approve', argument: '[N] [hunk …]', does: 'apply a plan, or some of its changes' },
	{ name: '/reject', argument: '[N] [why]', does: 'turn a plan down' },
	{ name: '/try', argument: '[N] [command]', does: 'run a command on what a plan proposes' },
	{ name: '/rework', argument: '[N] [feedback]', does: 'ask for another revision of a plan; without words: to fix what failed' },
	{ name: '/undo', argument: '[N]', does: 'take back what was applied' },
	{ name: '/revisions', argument: '[N]', does: 'list the revisions of a plan' },
	{ name: '/rollback', argument: 'N R', does: 'go back to revision R of a plan' },
	{ name: '/rate', argument: '[N] good|bad|1-5', does: 'say what you think of a plan' },
	{ name: '/decide', argument: '[plan|ask]', does: 'decide at the end of a turn, or on each edit' },
	{ name: '/agent', argument: '[NAME|none]', does: 'choose the agent of this conversation, or list them' },
	{ name: '/mode', argument: '[auto|plan|text|ask|heap]', does: 'choose the mode of this conversation' },
	{ name: '/trace', argument: '[turn]', does: 'show what was done in a turn, step by step' },
	{ name: '/status', argument: '', does: 'tell what waits and what runs' },
	{ name: '/retry', argument: '', does: 'send the last request again' },
	{ name: '/cancel', argument: '', does: 'stop what runs' },
	{ name: '/template', argument: '[NAME …]', does: 'send a request from a template' },
	{ name: '/agents', argument: '', does: 'list the specialists' },
	{ name: '/model', argument: '', does: 'tell which model answers' },
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
