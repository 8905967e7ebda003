import type { Plan, TextEdit } from '../protocol';
import type { Board } from './board';
import type { Draft, Drafts } from './drafts';
import { isDecidable } from './plans';

/** What the texts need of the server and the editor. A name is that of a document. */
export interface Sources {
	fetch(plan: number, path: string): Promise<string>;
	edit(edit: TextEdit): Promise<{ result: Plan } | { refused: string }>;
	/** Reports whether the user has changed a document and not saved it. */
	isDirty(name: string): boolean;
	/** Makes the editor look at a document again. */
	changed(name: string): void;
	/** Shows the user a draft that is given up, and why. */
	gaveUp(draft: Draft, why: string): void;
	now(): number;
}

/** A proposed text as the editor has read it. */
interface Held {
	plan: number;
	path: string;
	/** The revision of the plan when it was fetched. */
	revision: number;
	text: string;
	mtime: number;
	writable: boolean;
	/** Whether it is to be fetched before it is used. */
	outdated: boolean;
	/** Whether the server has another one, which waits until the user has saved or reverted the document. */
	behind: boolean;
}

/** A document as the editor reads it. */
export type Read = Readonly<Pick<Held, 'text' | 'mtime' | 'writable'>>;

/**
 * Holds proposed texts as files that can be edited: saving one makes a revision of its plan by the user. Auto-save comes in
 * the middle of a word, so what it saves is kept as a draft: it becomes a revision when the user saves it, acts on its plan,
 * or closes its document.
 */
export class ProposedTexts {
	private readonly held = new Map<string, Held>();
	private readonly fetching = new Map<string, Promise<Held>>();
	/** The times of drafts, by document. */
	private readonly times = new Map<string, number>();
	private taking: Promise<unknown> = Promise.resolve();

	constructor(private readonly board: Board, private readonly drafts: Drafts, private readonly sources: Sources) {
		board.changed.listen((plan) => this.follow(plan));
	}

	/** Returns the text of a document with its time, which changes only with the text. */
	async read(name: string, plan: number, path: string): Promise<Read> {
		const { text, mtime, writable } = await this.hold(name, plan, path), draft = this.drafts.get(name);
		if (!draft) {
			return { text, mtime, writable };
		}
		const time = this.times.get(name) ?? mtime; // the editor would take that of a newer text, and not ask before it overwrites that
		this.times.set(name, time);
		return { text: draft.text, mtime: time, writable };
	}

	/**
	 * Prepares a save by the user. If the plan has another text by now than the draft was made from, the draft is the editor's
	 * again, and that text is a newer file: the editor asks which of the two to keep.
	 */
	async saving(name: string): Promise<void> {
		const draft = this.drafts.get(name), held = draft && (await this.hold(name, draft.plan, draft.path));
		if (held && draft === this.drafts.get(name) && draft.revision !== held.revision && draft.was !== held.text) {
			this.set(name, held, undefined);
		}
	}

	/**
	 * Saves a document: makes the text what the plan proposes, in a revision by the user, or a draft if the editor saves by
	 * itself. The same text changes nothing: the editor saves unchanged files of a comparison too. Returns why it was refused.
	 */
	async write(name: string, plan: number, path: string, shownAs: number, text: string, byItself = false): Promise<string | undefined> {
		const held = await this.hold(name, plan, path), draft = this.drafts.get(name);
		if (held.text === text) {
			this.set(name, held, undefined);
			return undefined;
		}
		if (!this.writable(plan, path)) {
			return `Plan ${plan} cannot be changed here any more.`;
		}
		if (byItself) {
			const { revision, was } = draft ?? { revision: held.revision, was: held.text };
			this.set(name, held, { plan, path, revision, shownAs, was, text });
			return undefined;
		}
		return this.revise(name, held, { plan, path, revision: held.revision, shownAs, was: held.text, text });
	}

	/** Makes the drafts of a plan revisions of it, those of all plans for 0. Returns why some were refused. */
	take(plan: number): Promise<string[]> {
		const taken = this.taking.then(async () => {
			const refused: string[] = [];
			for (const name of this.drafts.of(plan)) {
				const why = await this.takeOne(name).catch(String);
				refused.push(...(why === undefined ? [] : [why]));
			}
			return refused;
		});
		this.taking = taken;
		return taken;
	}

	/** Forgets a document that was closed. First a draft becomes a revision. */
	async close(name: string): Promise<void> {
		const why = this.drafts.get(name) && (await this.takeOne(name).catch(String)), draft = this.drafts.get(name);
		if (why !== undefined && draft) {
			this.drafts.set(name, undefined);
			this.sources.gaveUp(draft, why);
		}
		this.held.delete(name);
		this.times.delete(name);
	}

	/** Takes note that the server has another text of a document. What the user is editing stays until a new revision. */
	outdate(name: string): void {
		const held = this.held.get(name);
		if (!held) {
			return;
		}
		const isDraft = this.drafts.get(name) !== undefined;
		if ((isDraft || this.sources.isDirty(name)) && this.board.plan(held.plan)?.revision === held.revision) {
			held.behind = true;
			return;
		}
		held.outdated = true;
		if (!isDraft) { // what the user has saved stays
			this.sources.changed(name);
		}
	}

	/** Catches up with the server in documents that the user has saved or reverted. */
	settle(): void {
		for (const [name, held] of this.held) {
			if (held.behind && !this.drafts.get(name) && !this.sources.isDirty(name)) {
				held.behind = false;
				this.outdate(name);
			}
		}
	}

	/** Fetches all texts again, with a new connection. */
	again(): void {
		for (const name of this.held.keys()) {
			this.outdate(name);
		}
	}

	/** Returns what the server has for a document. */
	private async hold(name: string, plan: number, path: string): Promise<Held> {
		const held = this.held.get(name);
		if (held && !held.outdated) {
			return held;
		}
		const running = this.fetching.get(name) ?? this.fetch(name, plan, path).finally(() => this.fetching.delete(name));
		this.fetching.set(name, running);
		return running;
	}

	/** Replaces what is held for a document, and its draft. Its time changes if the editor is to read another text. */
	private set(name: string, held: Held, draft: Draft | undefined): void {
		const before = this.drafts.get(name)?.text ?? this.held.get(name)?.text, same = (draft?.text ?? held.text) === before;
		const now = same ? held : { ...held, mtime: Math.max(this.sources.now(), held.mtime + 1) };
		this.held.set(name, now);
		if (draft) {
			this.times.set(name, now.mtime);
		} else {
			this.times.delete(name);
		}
		this.drafts.set(name, draft);
	}

	/** Makes a revision with a text for a document. Returns why it was refused. */
	private async revise(name: string, held: Held, { plan, path, revision, shownAs, was, text }: Draft): Promise<string | undefined> {
		const now = this.board.plan(plan), before = this.drafts.get(name);
		const outcome = await this.sources.edit({ plan, revision, hash: now?.revision === revision ? now.hash : '', path, was, text });
		if ('refused' in outcome) {
			return outcome.refused;
		}
		const { result } = outcome, later = this.drafts.get(name);
		this.board.show(plan, result.revision, shownAs);
		this.set(name, { ...held, revision: result.revision, text, outdated: false, behind: false }, later === before ? undefined : later && { ...later, revision: result.revision, was: text });
		if ((this.board.plan(plan)?.revision ?? 0) < result.revision) {
			this.board.take(result); // its event comes later
		}
		return undefined;
	}

	/** Makes a draft a revision. Returns why it was refused. Gives up one whose plan is decided. */
	private async takeOne(name: string): Promise<string | undefined> {
		const { plan = 0, path = '' } = this.drafts.get(name) ?? {}, held = plan > 0 ? await this.hold(name, plan, path) : undefined;
		const draft = this.drafts.get(name); // auto-save may have saved more meanwhile
		if (!draft || !held) {
			return undefined;
		}
		if (this.board.plan(plan) && !this.writable(plan, path)) {
			this.set(name, held, undefined);
			this.sources.gaveUp(draft, 'It cannot be changed any more.');
			this.sources.changed(name);
			return undefined;
		}
		if (draft.revision === held.revision || draft.was === held.text) {
			return this.revise(name, held, { ...draft, revision: held.revision });
		}
		return `Plan ${plan} is at revision ${held.revision} now, and your draft of ${path} is of revision ${draft.revision}. Save the draft to choose between the two.`;
	}

	private async fetch(name: string, plan: number, path: string): Promise<Held> {
		const text = await this.sources.fetch(plan, path), was = this.held.get(name);
		const mtime = was === undefined ? this.sources.now() : was.text === text ? was.mtime : Math.max(this.sources.now(), was.mtime + 1);
		const held = { plan, path, revision: this.board.plan(plan)?.revision ?? 0, text, mtime, writable: this.writable(plan, path), outdated: false, behind: false };
		this.held.set(name, held);
		return held;
	}

	/** Reports whether the user can change what a plan proposes for a file. */
	private writable(number: number, path: string): boolean {
		const plan = this.board.plan(number), file = plan?.files.find((f) => f.path === path);
		return plan !== undefined && file !== undefined && isDecidable(plan) && file.action !== 'delete' && file.status !== 'rejected';
	}

	/** Looks at the texts of a changed plan, or of all. */
	private follow(plan: Plan | undefined): void {
		for (const [name, held] of this.held) {
			const now = this.board.plan(held.plan);
			if ((plan !== undefined && plan.plan !== held.plan) || !now) {
				continue;
			}
			const writable = this.writable(held.plan, held.path);
			if (now.revision !== held.revision) {
				this.outdate(name);
			} else if (writable !== held.writable) {
				held.writable = writable;
				this.sources.changed(name);
			}
		}
	}
}
