/** The objects of `redline.state` and `redline/event`, as in docs/reference/commands.md. */

export interface Position {
	line: number;
	character: number;
}

export interface Range {
	start: Position;
	end: Position;
}

export interface Hunk {
	id: string;
	status: string;
	range: Range;
	added: number;
	removed: number;
	reason?: string;
	/** Its new lines, in what a turn has staged. */
	newText?: string;
	/** Likewise. */
	rows?: Row[];
}

/** A line of a hunk, or an old and a new line that are one with other words. Each line of both texts is in one row, in order. */
export interface Row {
	k: 'same' | 'edited' | 'removed' | 'added';
	/** The line of the old text and that of the new one, from 0. */
	old?: number;
	new?: number;
	/** What differs in an edited line: where it starts and ends in the old line, then in the new one. */
	changes?: [number, number, number, number][];
}

export interface FileChange {
	path: string;
	newPath?: string;
	uri: string;
	action: string;
	status: string;
	reason?: string;
	added: number;
	removed: number;
	hunks: Hunk[];
}

export interface Step {
	id: string;
	description: string;
	status: string;
	rationale: string;
	risk: string;
}

export interface Operation {
	id: string;
	step: string;
	tool: string;
	path?: string;
	paths?: string[];
	/** The command line of an operation that was taken out. */
	command?: string;
	status: string;
}

export interface Revision {
	revision: number;
	author: string;
	created: string;
	note?: string;
}

/** How two revisions of a plan differ: each file with the URIs of its two texts. */
export interface Comparison {
	plan: number;
	from: number;
	to: number;
	operations: string[];
	files: { path: string; from: string; to: string }[];
}

export interface CommandRun {
	id: string;
	command: string;
	/** The folder that it runs in; absent at the workspace's root. */
	cwd?: string;
	status: string;
	/** The user's rule that runs it with the plan. */
	rule?: string;
	exitCode?: number;
	output?: string;
	/** What is known of a failure without the plan's edits. */
	verdict?: 'fails_as_before' | 'still_fails' | 'fails_now';
	reason?: string;
}

/** A command that was run on the texts that the plan would leave, in isolation. */
export interface Trial {
	id: string;
	command: string;
	/** The folder that it ran in; absent at the workspace's root. */
	cwd?: string;
	revision: number;
	exitCode: number | null;
	durationMs: number;
	/** The same command without the plan's edits. */
	baseline: { exitCode: number | null; durationMs: number } | null;
	/** Whether these are still the texts that the plan would leave. */
	current: boolean;
	output: string;
	/** Its result: passed, fails_now, still_fails, fails_as_before, could_not_run or failed. */
	verdict: string;
	/** The same in words. */
	result: string;
	problem?: string;
	/** Whether to show it with the plan. */
	shown?: boolean;
}

/** What language servers report about the files as the plan would leave them. */
export interface Problems {
	/** Errors first. A message is one line of any text. */
	added: Problem[];
	fixed: number;
	checked: { language: string; server: string; state: string }[];
	/** How many more the plan adds than are in `added`. */
	more?: number;
}

export interface Problem {
	path: string;
	/** Absent from an earlier server. */
	uri?: string;
	range: Hunk['range'];
	severity: string;
	message: string;
	source: string;
	code: string;
}

/** Whether trials are allowed in the workspace; ask: the user has not decided yet. */
export type Trials = 'none' | 'ask' | 'allowed';

/** Whether trials are allowed in the workspace, and whether it has checks. */
export interface Standing {
	trials: Trials;
	/** The project defines how it is tested. */
	checks: boolean;
}

export interface Plan {
	plan: number;
	goal: string;
	state: string;
	conversation: string;
	revision: number;
	hash: string;
	/** Who made it: `model`, `user`, or a program that worked in a copy of the workspace. */
	by?: string;
	description: string;
	/** What the turn that made it left undone, a sentence each. */
	unfinished?: string[];
	steps: Step[];
	operations: Operation[];
	files: FileChange[];
	commands: CommandRun[];
	/** Newest last. */
	trials?: Trial[];
	/** null while it is not known. */
	problems?: Problems | null;
	/** Oldest first. */
	revisions?: Revision[];
	/** Operations that were taken out and can be put back. */
	takenOut?: Operation[];
	/** The user's rating, 1 to 5. */
	rating?: number;
	textOnly?: boolean;
	/** Of a plan that a turn is still making: the plan that it becomes a revision of. */
	revises?: number;
	/** Whether an undo would take something back, of this or an earlier revision. */
	undoable?: boolean;
}

export interface Turn {
	turn: string;
	conversation: string;
	state: string;
	question: string | null;
	answer: string | null;
	error: string | null;
}

/** An outside agent that can do the work of a request, in a copy of the workspace. */
export interface Outside {
	name: string;
	program: string;
	/** Whether it does the work of requests that name none. */
	default?: boolean;
}

export interface State {
	plans: Plan[];
	turns: Turn[];
	model: { provider: string; name: string };
	outside?: Outside[];
	trials?: Trials;
	checks?: boolean;
}

/** One `redline/event`. Which members it has depends on its kind. */
export interface Event {
	kind: string;
	turn?: string;
	conversation?: string;
	text?: string;
	name?: string;
	summary?: string;
	path?: string;
	hunk?: string;
	plan?: Plan;
	trial?: Trial;
	trials?: Trials;
	checks?: boolean;
	answer?: string;
	error?: string;
	state?: string;
	id?: string;
	stream?: string;
	question?: string;
	options?: string[];
	mode?: string;
	/** The id of the trace of a turn that has ended. */
	trace?: string;
	view?: string;
	uri?: string;
	/** Of the kind `doing`: milliseconds until a request to the model is sent again, which retry that is, and until it is given up. */
	waitMs?: number;
	retry?: number;
	giveUpMs?: number;
	/** Of the kind `route`: the agent that the user chose for the conversation. */
	agent?: string;
	/** What an outside agent does, of the kind `outside`; a step of the trace, of the kind `trace`. */
	step?: { kind?: string; name?: string; summary?: string };
}

/** What a decision is about: the narrowest member that is set. */
export interface Scope {
	plan: number;
	revision?: number;
	hash?: string;
	path?: string;
	hunk?: string;
	operation?: string;
	skipStale?: boolean;
	allowCommands?: boolean;
}

/** The argument of redline.edit: another proposed text of a file, and the one that the user was shown. */
export interface TextEdit {
	plan: number;
	revision: number;
	hash: string;
	path: string;
	was: string;
	text: string;
}

/** The answer of redline.chat and redline.rework. */
export interface Sent {
	turn: string;
	conversation: string;
}

/** An earlier conversation; a list leaves out the exchanges. */
export interface Conversation {
	conversation: string;
	updated: string;
	/** Its first message. */
	request: string;
	count: number;
	summary?: string;
	exchanges?: { at: string; request: string; answer: string; plan?: number; trace?: string }[];
}

/** The answer of redline.complete: each item replaces the end of the text. */
export interface Completions {
	replaces: string;
	items: { label: string; insert: string; detail?: string }[];
}

/** An undecided hunk of a document with its texts, as `redline.hunks` returns it. */
export interface DocumentHunk {
	plan: number;
	revision: number;
	hash: string;
	path: string;
	hunk: string;
	status: string;
	/** create, update, rename or delete */
	action: string;
	range: Range;
	oldText: string;
	newText: string;
	/** Its lines; none if it is stale, or from an older server. */
	rows?: Row[];
}
