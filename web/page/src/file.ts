// A file on the page: its head, its hunks, and the lines between them that can be unfolded.
import { button, count, element } from './element';
import { actionOf, decided, modeOf, plusMinus, statusOf } from './words';
import { commentView, HunkView, isOn, type Drawing } from './hunk';
import { table } from './rows';
import type { Decisions, Unit } from './decisions';
import type { File, Row } from './types';

const step = 20; // how many lines are unfolded at once

export class FileView {
	readonly root: HTMLElement;
	readonly hunks: HunkView[];
	readonly whole: Unit | undefined;
	private readonly summary = element('span', { class: 'file-decided' });
	private readonly choices: HTMLButtonElement[] = [];
	private readonly seen: HTMLInputElement | undefined;
	private readonly fold: HTMLButtonElement;
	private readonly body = element('div', { class: 'file-body' });
	private readonly elsewhere = element('div', { class: 'elsewhere' });

	constructor(readonly file: File, readonly number: number, readonly units: Unit[], private drawing: Drawing, isSeen: boolean) {
		this.whole = units.find(({ hunk }) => hunk === undefined);
		this.hunks = file.hunks.map((hunk) => new HunkView(file, hunk, units.find((unit) => unit.hunk === hunk), drawing));
		this.fold = button('fold', '', { class: 'fold', 'aria-expanded': 'true', 'aria-label': `Lines of ${file.path}` });
		if (!drawing.readOnly) {
			this.seen = element('input', { type: 'checkbox', 'data-change': 'seen' });
			this.seen.checked = isSeen;
		}
		this.root = element('section', { class: 'file', id: `file-${number}`, 'data-file': file.id, 'aria-labelledby': `name-${number}`, ...(this.whole && { 'data-key': this.whole.key, tabindex: '-1' }) });
		this.root.append(this.head(), this.body);
		this.fill();
		this.collapse(isSeen);
	}

	private head(): HTMLElement {
		const { file, drawing: { readOnly, mayApprove } } = this;
		const [, word] = actionOf(file);
		const name = element('h2', { id: `name-${this.number}`, class: 'file-name' });
		if (file.from !== undefined && file.from !== file.path) {
			name.append(element('span', { class: 'from' }, file.from), element('span', { class: 'arrow', 'aria-label': 'becomes' }, ' → '));
		}
		name.append(pathOf(file.path));
		const head = element('header', { class: 'file-head' }, this.fold, name, element('span', { class: `tag action ${file.action}` }, word),
			file.mode !== undefined && file.mode !== '' && element('span', { class: 'tag' }, modeOf(file.mode)), element('span', { class: 'size' }, plusMinus(file)), this.summary);
		if (readOnly) {
			return head;
		}
		const tools = element('span', { class: 'tools' });
		if (this.units.length > 0) {
			this.choices.push(button('approve-file', 'Approve file', { class: 'choice approve', 'aria-pressed': 'false', 'aria-label': `Approve file ${file.path}` }),
				button('reject-file', 'Reject file', { class: 'choice reject', 'aria-pressed': 'false', 'aria-label': `Reject file ${file.path}` }));
			const [approve] = this.choices;
			if (approve && (!mayApprove || this.units.every(({ stale }) => stale))) {
				approve.disabled = true;
			}
			tools.append(...this.choices);
		}
		if (this.seen) {
			tools.append(element('label', { class: 'seen' }, this.seen, 'Seen', element('span', { class: 'hidden' }, ` ${file.path}`)));
		}
		head.append(tools);
		return head;
	}

	private fill(): void {
		const { file } = this;
		const notes = element('div', { class: 'file-notes' });
		for (const [kind, text] of [['bad', file.reason], ['bad', file.syntax === undefined ? undefined : `Syntax error: ${file.syntax}`],
			['plain', file.otherNames === undefined ? undefined : `The file has ${count(file.otherNames, 'other name')}, which ${file.otherNames === 1 ? 'keeps' : 'keep'} the old text.`]] as const) {
			if (text !== undefined && text !== '') {
				notes.append(element('p', { class: `note ${kind}` }, text));
			}
		}
		if (file.status !== 'pending') {
			notes.append(element('p', { class: 'note plain' }, `This file is ${statusOf(file.status)}.`));
		}
		if (file.whole === true && file.hunks.length > 0 && this.whole) {
			notes.append(element('p', { class: 'note plain' }, 'You decide on this file as a whole.'));
		}
		if (file.large === true) {
			notes.append(element('p', { class: 'note plain' }, `This file has ${count(file.added + file.removed, 'changed line')}. `, button('load', 'Show them')));
		} else if (file.hunks.length === 0) {
			notes.append(element('p', { class: 'note plain' }, file.from !== undefined ? 'The file moves; its text stays as it is.' : 'No line of its text changes.'));
		}
		if (notes.hasChildNodes()) {
			this.body.append(notes);
		}
		const gaps = (file.action === 'update' || file.action === 'rename') && !this.drawing.readOnly;
		let next = 1;
		for (const view of this.hunks) {
			const numbers = view.hunk.rows.flatMap(({ old }) => old ?? []);
			const [first, last] = [numbers[0], numbers.at(-1)];
			if (gaps && view.hunk.joined !== true && first !== undefined && first > next) {
				this.body.append(new Gap(file, this.drawing, next, first - 1, next === 1).root);
			}
			this.body.append(view.root);
			next = (last ?? next - 1) + 1;
		}
		if (gaps && this.hunks.length > 0 && (file.lines ?? 0) >= next) {
			this.body.append(new Gap(file, this.drawing, next, file.lines ?? 0, false).root);
		}
		this.body.append(this.elsewhere);
		this.showComments();
	}

	/** Draws the comments of the file, those on lines that no hunk shows at its end. */
	showComments(): void {
		for (const view of this.hunks) {
			view.showComments();
		}
		const others = this.drawing.comments.filter((one) => isOn(one, this.file) && !this.hunks.some((view) => view.has(one.line, one.side)));
		this.elsewhere.replaceChildren(...others.map((one) => commentView(one, this.drawing.readOnly)));
	}

	/** Shows what is decided on the file and its hunks. */
	show(decisions: Decisions): void {
		for (const { unit, ...view } of this.hunks.map((one) => ({ unit: one.unit, one }))) {
			view.one.show(unit && decisions.of(unit.key));
		}
		this.showSum(decisions);
	}

	/** Shows what is decided on the file as a whole. */
	showSum(decisions: Decisions): void {
		const counts = decisions.counts(this.units);
		this.summary.textContent = this.units.length === 0 || this.drawing.readOnly ? '' : decided(counts);
		const all = this.units.length - counts.stale;
		const choice = this.units.length === 0 ? '' : counts.approved === all && all > 0 ? 'approve' : counts.rejected === this.units.length ? 'reject' : '';
		this.root.dataset.choice = choice;
		for (const one of this.choices) {
			one.setAttribute('aria-pressed', `${one.dataset.action === `${choice}-file`}`);
		}
	}

	/** Hides the lines, or shows them. */
	collapse(hide: boolean): void {
		this.body.hidden = hide;
		this.fold.setAttribute('aria-expanded', `${!hide}`);
	}

	get collapsed(): boolean { return this.body.hidden; }
	get isSeen(): boolean { return this.seen?.checked === true; }

	see(seen: boolean): void {
		if (this.seen) {
			this.seen.checked = seen;
		}
		this.collapse(seen);
	}
}

/** A path whose last part stands out. */
export function pathOf(path: string): HTMLElement {
	const cut = path.lastIndexOf('/') + 1;
	return element('bdi', { class: 'path' }, cut > 0 && element('span', { class: 'folder' }, path.slice(0, cut)), element('span', { class: 'base' }, path.slice(cut)));
}

/** The lines between two hunks, before the first or after the last. */
class Gap {
	readonly root: HTMLElement;
	private readonly above = element('div');
	private readonly bar = element('div', { class: 'gap' });
	private readonly below = element('div');

	constructor(private file: File, private drawing: Drawing, private from: number, private to: number, private first: boolean) {
		this.root = element('div', { class: 'between' }, this.above, this.bar, this.below);
		this.show();
	}

	private get left(): number { return this.to - this.from + 1; }

	private show(failed = ''): void {
		if (this.left <= 0) {
			this.bar.remove();
			return;
		}
		const unfold = (down: boolean, n: number, label: string): HTMLButtonElement => {
			const made = element('button', { type: 'button', class: 'quiet' }, label);
			made.addEventListener('click', () => void this.unfold(down, n));
			return made;
		};
		const parts: Node[] = [];
		if (this.left <= 2 * step) {
			parts.push(unfold(!this.first, this.left, `Show ${count(this.left, 'line')}`));
		} else {
			if (!this.first) {
				parts.push(unfold(true, step, `↓ ${step} lines`));
			}
			if (this.to < (this.file.lines ?? 0)) {
				parts.push(unfold(false, step, `↑ ${step} lines`));
			}
			if (this.left <= 500) {
				parts.push(unfold(!this.first, this.left, `↕ All ${this.left} lines`));
			}
		}
		this.bar.replaceChildren(...parts, element('span', { class: 'why', role: 'status' }, failed));
	}

	private async unfold(down: boolean, n: number): Promise<void> {
		const from = down ? this.from : Math.max(this.from, this.to - n + 1), to = down ? Math.min(this.from + n - 1, this.to) : this.to;
		let rows: Row[];
		try {
			rows = (await this.drawing.context(this.file.id, from, to)).rows;
		} catch (error) {
			this.show(error instanceof Error ? error.message : 'That did not work.');
			return;
		}
		const lines = table(rows, this.drawing.layout, `Unchanged lines of ${this.file.path}`);
		if (down) {
			this.from = to + 1;
			this.above.append(lines);
		} else {
			this.to = from - 1;
			this.below.prepend(lines);
		}
		this.show();
	}
}
