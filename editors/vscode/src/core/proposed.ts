import type { Plan, TextEdit } from '../protocol';
import type { Board } from './board';
import { isDecidable } from './plans';

/** What the texts need of the server and the editor. A name is that of a document. */
export interface Sources {
	fetch(plan: number, path: string): Promise<string>;
	edit(edit: TextEdit): Promise<{ result: Plan } | { refused: string }>;
	/** Reports whether the user has changed a document and not saved it. */
	isDirty(name: string): boolean;
	/** Makes the editor look at a document again. */
	changed(name: string): void;
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

/** Holds proposed texts as files that can be edited: saving one makes a revision of its plan by the user. */
export class ProposedTexts {
	private readonly held = new Map<string, Held>();
	private readonly fetching = new Map<string, Promise<Held>>();

	constructor(private readonly board: Board, private readonly sources: Sources) {
		board.changed.listen((plan) => this.follow(plan));
	}

	/** Returns the text of a document with its time, which changes only with the text. */
	async read(name: string, plan: number, path: string): Promise<Readonly<Held>> {
		const held = this.held.get(name);
		if (held && !held.outdated) {
			return held;
		}
		const running = this.fetching.get(name) ?? this.fetch(name, plan, path).finally(() => this.fetching.delete(name));
		this.fetching.set(name, running);
		return running;
	}

	/**
	 * Saves a document: makes the text what the plan proposes, in a revision by the user. The same text changes nothing: the
	 * editor saves unchanged files of a comparison too. Returns why it was refused.
	 */
	async write(name: string, plan: number, path: string, shownAs: number, text: string): Promise<string | undefined> {
		const was = await this.read(name, plan, path);
		if (was.text === text) {
			return undefined;
		}
		const now = this.board.plan(plan);
		if (!now || !this.writable(plan, path)) {
			return `Plan ${plan} cannot be changed here any more.`;
		}
		const outcome = await this.sources.edit({ plan, revision: was.revision, hash: was.revision === now.revision ? now.hash : '', path, was: was.text, text });
		if ('refused' in outcome) {
			return outcome.refused;
		}
		const { revision } = outcome.result;
		this.board.show(plan, revision, shownAs);
		this.held.set(name, { ...was, revision, text, mtime: Math.max(this.sources.now(), was.mtime + 1), outdated: false, behind: false });
		return undefined;
	}

	/** Takes note that the server has another text of a document. What the user is editing stays until a new revision. */
	outdate(name: string): void {
		const held = this.held.get(name);
		if (!held) {
			return;
		}
		if (this.sources.isDirty(name) && this.board.plan(held.plan)?.revision === held.revision) {
			held.behind = true;
			return;
		}
		held.outdated = true;
		this.sources.changed(name);
	}

	/** Catches up with the server in documents that the user has saved or reverted. */
	settle(): void {
		for (const [name, held] of this.held) {
			if (held.behind && !this.sources.isDirty(name)) {
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

	forget(name: string): void {
		this.held.delete(name);
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
