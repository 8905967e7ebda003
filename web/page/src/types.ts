// What the server answers. docs/reference/state.md describes a plan; the page uses a part of it.

export interface Answer {
	workspace: string;
	version: string;
	static?: boolean;
	withoutOutputs?: boolean; // what commands and trials have printed is left out
	offline?: boolean;
	editor?: { open: boolean; name?: string };
	plan: Plan;
	view: { files: File[] };
	seen?: number;
	seenFiles?: string[];
	canApprove?: boolean;
	why?: string;
	/** What an editor carries out. */
	decision?: { since: string; by: string } | null;
	/** What the last rework came to, if it made no revision. */
	reply?: { state: string; text: string };
	ended?: boolean;
	comments?: Comment[];
}

export interface Plan {
	plan: number;
	goal: string;
	state: string;
	revision: number;
	hash: string;
	by: string;
	description?: string;
	steps?: Step[];
	operations?: { id: string; note?: string; path?: string }[];
	commands?: Command[];
	trials?: Trial[];
	problems?: Problems | null;
	untried?: string;
	revisions?: Revision[];
	textOnly?: boolean;
	undoable?: boolean;
	refused?: { path: string; reason: string }[];
	unfinished?: string[];
	predicted?: string[];
	comments?: Comment[];
	shared?: { said?: string[] };
}

export interface Step { id: string; description: string; status: string; rationale?: string; risk?: string }

export interface Revision { revision: number; author: string; hash: string; created: string; note?: string }

export interface Command {
	id: string;
	command: string;
	cwd?: string;
	status: string;
	exitCode?: number;
	output?: string;
	verdict?: string;
	reason?: string;
	waits?: string;
	rule?: string;
}

export interface Trial {
	id: string;
	command: string;
	cwd?: string;
	revision: number;
	durationMs: number;
	current: boolean;
	output?: string;
	verdict: string;
	result: string;
	problem?: string;
	shown?: boolean;
}

export interface Problem { path: string; range: { start: { line: number; character: number } }; severity: string; message: string; source?: string; code?: string }

export interface Problems { added: Problem[]; fixed: number; checked: { language: string; server: string; state: string }[]; more?: number }

export interface File {
	id: string;
	path: string;
	from?: string;
	action: string;
	mode?: string;
	status: string;
	reason?: string;
	syntax?: string;
	otherNames?: number;
	added: number;
	removed: number;
	language?: string;
	lines?: number; // of the text before the change
	whole?: boolean;
	large?: boolean;
	hunks: Hunk[];
}

export interface Hunk {
	id: string;
	also?: string[];
	status: string;
	reason?: string;
	added: number;
	removed: number;
	match?: string;
	joined?: boolean;
	by?: string[];
	changedSince?: boolean;
	at?: number;
	rows: Row[];
	moved?: Moved[];
}

/** Rows that are removed in one place of the plan and added in another; the rest is about the other side. */
export interface Moved { row: number; rows: number; path: string; line: number; hunk: string }

export interface Row { k: 'same' | 'removed' | 'added'; old?: number; new?: number; /** Of an added line: the removed one that it is an edit of. */ from?: number; text: string; marks?: [number, number][]; end?: 'crlf' | 'cr' | 'none' }

export type Side = 'old' | 'new';

export interface Comment { id: string; path: string; line: number; side: Side; text: string; author?: string; time?: string; done?: boolean }

/** What the user has decided, as the server takes it. */
export interface Decision {
	revision: number;
	hash: string;
	approve: { hunks: string[]; files: string[]; plan?: boolean };
	reject: { hunks: string[]; files: string[]; plan?: boolean };
	run: string[];
	drop: string[];
	reason?: string;
}
