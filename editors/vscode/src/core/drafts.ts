import { Emitter } from './emitter';

/** What auto-save has saved of a proposed text. It is in no revision yet. */
export interface Draft {
	plan: number;
	path: string;
	/** The revision that the user edited, and the one in the name of the document. */
	revision: number;
	shownAs: number;
	/** The text that the user edited. */
	was: string;
	text: string;
}

/** Holds the drafts of proposed texts, by the names of their documents. They survive the window. */
export class Drafts {
	/** Fires when a document has become a draft, or is none any more. */
	readonly changed = new Emitter<void>();
	private readonly byName = new Map<string, Draft>();

	/** kept is what an earlier window has passed to keep. */
	constructor(kept: unknown, private readonly keep: (drafts: [name: string, draft: Draft][]) => void) {
		for (const one of Array.isArray(kept) ? (kept as unknown[]) : []) {
			const [name, draft] = Array.isArray(one) ? (one as unknown[]) : [];
			if (typeof name === 'string' && isDraft(draft)) {
				this.byName.set(name, draft);
			}
		}
	}

	get(name: string): Draft | undefined {
		return this.byName.get(name);
	}

	set(name: string, draft: Draft | undefined): void {
		const before = this.byName.get(name);
		if (draft) {
			this.byName.set(name, draft);
		} else {
			this.byName.delete(name);
		}
		if (draft !== before) {
			this.keep([...this.byName]);
			this.changed.fire();
		}
	}

	/** Returns the documents of a plan that are drafts, of all plans for 0. */
	of(plan: number): string[] {
		return [...this.byName].flatMap(([name, draft]) => (plan === 0 || draft.plan === plan ? [name] : []));
	}
}

function isDraft(value: unknown): value is Draft {
	const draft = value as Partial<Record<keyof Draft, unknown>> | null | undefined;
	return [draft?.plan, draft?.revision, draft?.shownAs].every((n) => typeof n === 'number') && [draft?.path, draft?.was, draft?.text].every((s) => typeof s === 'string');
}
