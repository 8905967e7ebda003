// A hunk on the page: its head with what can be decided, and its lines, which are drawn when they are needed.
import { button, element } from './element';
import { place, plusMinus, statusOf } from './words';
import { changed, lineOf, sideOf, table, type Layout } from './rows';
import type { Choice, Unit } from './decisions';
import type { Comment, File, Hunk, Row, Side } from './types';

/** What all hunks and files are drawn by. */
export interface Drawing {
	layout: Layout;
	readOnly: boolean;
	mayApprove: boolean;
	comments: Comment[];
	/** Reads unchanged lines of a file. */
	context: (file: string, from: number, to: number) => Promise<{ rows: Row[]; lines: number }>;
}

export class HunkView {
	readonly root: HTMLElement;
	readonly lines: HTMLElement;
	private drawn = false;
	private choices: HTMLButtonElement[] = [];
	private state: HTMLElement;
	/** The line that keys have chosen, as an index of the rows of the table; −1 for none. */
	cursor = -1;

	constructor(readonly file: File, readonly hunk: Hunk, readonly unit: Unit | undefined, private drawing: Drawing) {
		this.lines = element('div', { class: 'lines' });
		this.state = element('span', { class: 'state' });
		this.root = element('article', { class: 'hunk', tabindex: '-1', 'data-hunk': hunk.id, ...(unit?.hunk && { 'data-key': unit.key }), ...(hunk.joined === true && { 'data-joined': '' }) }, this.head(), this.lines);
		if (hunk.status === 'stale') {
			this.root.dataset.stale = '';
		}
		this.show(undefined);
		this.estimate();
	}

	private head(): HTMLElement {
		const { hunk, drawing: { readOnly, mayApprove } } = this;
		const open = this.unit?.hunk !== undefined && !readOnly;
		const head = element('div', { class: 'hunk-head' },
			element('span', { class: 'place' }, place(hunk)), element('span', { class: 'size' }, plusMinus(hunk)),
			hunk.changedSince === true && element('span', { class: 'tag new' }, 'new since you looked'),
			(hunk.match ?? '') !== '' && hunk.match !== 'exact' && element('span', { class: 'tag', title: 'How its place was found' }, `place by ${hunk.match ?? ''}`),
			this.state);
		if (hunk.reason !== undefined && hunk.reason !== '') {
			head.append(element('span', { class: 'why' }, hunk.reason));
		}
		if (readOnly) {
			return head;
		}
		const tools = element('span', { class: 'tools' });
		if (open) {
			this.choices = [button('approve', 'Approve', { class: 'choice approve', 'aria-pressed': 'false' }), button('reject', 'Reject', { class: 'choice reject', 'aria-pressed': 'false' })];
			const [approve] = this.choices;
			if (approve && (hunk.status === 'stale' || !mayApprove)) {
				approve.disabled = true;
			}
			tools.append(...this.choices);
		}
		tools.append(button('comment', 'Comment', { class: 'quiet' }));
		if (open && hunk.also === undefined && hunk.status === 'pending') {
			tools.append(button('edit', 'Edit', { class: 'quiet' }));
		}
		const name = `${place(hunk)} of ${this.file.path}`;
		for (const one of tools.querySelectorAll('button')) {
			one.setAttribute('aria-label', `${one.textContent}: ${name}`);
		}
		head.append(tools);
		return head;
	}

	/** Keeps room for lines that are not drawn yet. */
	private estimate(): void {
		this.root.style.setProperty('contain-intrinsic-block-size', `auto ${this.hunk.rows.length * 20 + 32}px`);
		this.lines.style.minHeight = `${this.hunk.rows.length * 20}px`;
	}

	/** Draws the lines, unless they are there. */
	draw(): boolean {
		if (this.drawn) {
			return false;
		}
		this.drawn = true;
		this.lines.style.minHeight = '';
		const { hunk, drawing } = this;
		this.lines.replaceChildren(table(hunk.rows, drawing.layout, `${place(hunk)} of ${this.file.path}`, hunk.moved));
		this.showComments();
		return true;
	}

	/** Forgets the lines: they are drawn again in the present layout. */
	redraw(): void {
		const was = this.drawn;
		this.drawn = false;
		this.cursor = -1;
		if (was) {
			this.draw();
		}
	}

	/** Shows what is decided on it. */
	show(choice: Choice | undefined): void {
		const { hunk } = this;
		this.root.dataset.choice = choice ?? '';
		for (const one of this.choices) {
			one.setAttribute('aria-pressed', `${one.dataset.action === choice}`);
		}
		const word = choice === 'approve' ? 'approved' : choice === 'reject' ? 'rejected' : this.unit?.hunk || hunk.status !== 'pending' ? statusOf(hunk.status) : '';
		this.state.textContent = word === 'undecided' ? '' : word;
		this.state.dataset.state = choice === undefined ? hunk.status : `${choice}-chosen`;
		this.root.setAttribute('aria-label', `Change in ${this.file.path}, ${place(hunk)}, ${plusMinus(hunk)}${word === '' ? '' : `, ${word}`}`);
	}

	/** Moves the chosen line by one; returns it. */
	moveCursor(step: 1 | -1): HTMLTableRowElement | undefined {
		this.draw();
		const rows = [...this.lines.querySelectorAll<HTMLTableRowElement>('tr[data-line]')];
		if (this.cursor < 0) {
			const first = rows.findIndex((row) => row.matches('.added, .removed') || row.querySelector('.added, .removed') !== null);
			this.cursor = Math.max(first, 0);
		} else {
			this.cursor = Math.min(Math.max(this.cursor + step, 0), rows.length - 1);
		}
		for (const row of this.lines.querySelectorAll('tr.cursor')) {
			row.classList.remove('cursor');
		}
		rows[this.cursor]?.classList.add('cursor');
		return rows[this.cursor];
	}

	/** The line that a comment is about, if none was pointed at: the chosen one, or the last that changes. */
	line(): { line: number; side: Side } | undefined {
		const row = this.lines.querySelector<HTMLTableRowElement>('tr.cursor');
		if (row !== null) {
			return { line: Number(row.dataset.line), side: row.dataset.side === 'old' ? 'old' : 'new' };
		}
		const last = changed(this.hunk).at(-1) ?? this.hunk.rows.at(-1);
		return last && { line: lineOf(last), side: sideOf(last) };
	}

	/** Puts something under a line; if the line is not there, at the end. */
	insert(what: HTMLElement, line: number, side: Side): void {
		this.draw();
		const at = rowOf(this.root, line, side);
		const row = element('tr', { class: 'under' }, element('td', { colspan: this.drawing.layout === 'split' ? '4' : '3' }, what));
		if (at === undefined) {
			this.lines.querySelector('tbody')?.append(row);
			return;
		}
		let after: Element = at;
		while (after.nextElementSibling?.classList.contains('under') === true) {
			after = after.nextElementSibling;
		}
		after.after(row);
	}

	/** Reports whether the hunk shows a line. */
	has(line: number, side: Side): boolean {
		return this.hunk.rows.some((row) => (side === 'old' ? row.old : row.new) === line);
	}

	/** Draws the comments on its lines. */
	showComments(): void {
		if (!this.drawn) {
			return;
		}
		for (const one of this.lines.querySelectorAll('tr.under:has(.comment)')) {
			one.remove();
		}
		for (const comment of this.drawing.comments) {
			if (isOn(comment, this.file) && this.has(comment.line, comment.side)) {
				this.insert(commentView(comment, this.drawing.readOnly), comment.line, comment.side);
			}
		}
	}
}

/** Finds the row of a line. */
function rowOf(root: HTMLElement, line: number, side: Side): Element | undefined {
	for (const row of root.querySelectorAll<HTMLElement>('tr[data-line], td[data-line]')) {
		if (row.dataset.line === `${line}` && row.dataset.side === side) {
			return row.closest('tr') ?? undefined;
		}
	}
	return undefined;
}

/** Draws a comment. */
export function commentView(comment: Comment, readOnly: boolean): HTMLElement {
	const own = element('div', { class: 'comment', 'data-comment': comment.id, role: 'group', 'aria-label': `Comment on ${comment.side === 'old' ? 'old ' : ''}line ${comment.line}` });
	own.append(element('p', { class: 'comment-by' }, `${comment.author === undefined || comment.author === '' ? 'You' : comment.author} · ${comment.side === 'old' ? 'old ' : ''}line ${comment.line}${comment.done === true ? ' · sent' : ''}`));
	own.append(element('p', { class: 'comment-text' }, comment.text));
	if (!readOnly && comment.done !== true) {
		own.append(button('uncomment', 'Delete', { class: 'quiet', 'aria-label': `Delete the comment on line ${comment.line}` }));
	}
	return own;
}

/** Reports whether a comment is on a line of a file. */
export function isOn({ path }: Comment, file: File): boolean {
	return path === file.path || path === file.from;
}
