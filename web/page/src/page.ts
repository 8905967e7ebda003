// The page of a plan: draws what the server answers, and what the user decides.
import { button, count, element } from './element';
import { Decisions, unitsOf, type Choice, mayApprove } from './decisions';
import { decided } from './words';
import { FileView } from './file';
import { Lazy } from './lazy';
import { Side } from './side';
import { showCommands, top } from './top';
import type { HunkView, Drawing } from './hunk';
import type { Layout } from './rows';
import type { Answer, Comment } from './types';

/** The first width at which two sides have room. */
const wide = matchMedia('(min-width: 1100px)');

export class Page {
	readonly decisions: Decisions;
	files: FileView[] = [];
	readonly side = new Side();
	private readonly lazy = new Lazy();
	private readonly drawing: Drawing;
	private drawn = new Map<string, { json: string; view: FileView }>();
	private readonly above = element('div');
	private readonly list = element('div', { class: 'files' });
	private readonly notices = element('div', { class: 'notices', role: 'status' });
	private readonly spoken = element('div', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
	private readonly tally = element('p', { class: 'tally' });
	private readonly bar: HTMLElement;
	private readonly layouts: HTMLButtonElement;
	private layout: Layout;
	private at: HunkView | FileView | undefined;

	constructor(public answer: Answer, readonly readOnly: boolean, context: Drawing['context']) {
		this.decisions = new Decisions(answer);
		if (!readOnly) {
			this.decisions.restore(sessionStorage.getItem(this.place));
		}
		this.layout = sessionStorage.getItem('redline.layout') === 'split' && wide.matches ? 'split' : 'unified';
		this.drawing = { layout: this.layout, readOnly, mayApprove: answer.canApprove !== false, comments: [], context };
		this.layouts = button('layout', '', { class: 'quiet layout' });
		this.bar = readOnly ? element('footer', { class: 'bar' }, this.tally) : element('footer', { class: 'bar', 'aria-label': 'Your decision' }, this.tally, element('span', { class: 'tools' },
			button('approve-all', 'Approve all', { class: 'choice approve' }), button('clear', 'Clear', { class: 'quiet clear' }), button('undo', 'Undo…', { class: 'quiet', hidden: '' }), button('rework', 'Rework…'),
			button('finish', 'Finish…', { class: 'main' })));
		wide.addEventListener('change', () => this.setLayout(this.layout));
		this.draw(answer);
	}

	/** Puts the page into the document. */
	mount(): void {
		const skip = element('a', { class: 'skip' }, 'Skip to the changes');
		skip.href = '#changes';
		const head = element('header', { class: 'head' }, element('span', { class: 'brand' }, 'Redline'), element('span', { class: 'head-tools' }, this.layouts,
			!this.readOnly && button('help', 'Keys', { class: 'quiet' }), !this.readOnly && button('close', 'End review', { class: 'quiet' })));
		document.body.replaceChildren(skip, head, this.notices, element('div', { class: 'body' }, this.side.root, element('main', {}, this.above, element('div', { id: 'changes', tabindex: '-1' }, this.list))), this.bar, this.spoken);
	}

	/** Draws an answer; what is as before stays as it is. */
	draw(answer: Answer): void {
		const focused = document.activeElement, typing = focused instanceof HTMLElement && focused.closest('.form') !== null;
		this.answer = answer;
		this.drawing.mayApprove = answer.canApprove !== false;
		this.drawing.comments = comments(answer);
		document.title = `${answer.plan.goal || `Plan ${answer.plan.plan}`} · Redline`;
		this.above.replaceChildren(top(answer, this.readOnly));
		const drawn: typeof this.drawn = new Map();
		const seen = new Set(answer.seenFiles);
		this.files = answer.view.files.map((file, i) => {
			const json = JSON.stringify([file, i, answer.canApprove]), before = this.drawn.get(file.id);
			const view = before?.json === json ? before.view : new FileView(file, i, unitsOf(file), this.drawing, seen.has(file.id));
			if (before && before.view !== view) {
				if (before.view.collapsed !== view.collapsed) {
					view.collapse(before.view.collapsed);
				}
				keepForms(before.view.root, view.root);
			}
			drawn.set(file.id, { json, view });
			return view;
		});
		this.drawn = drawn;
		const at = this.at, from = this.list.contains(focused) && !typing;
		this.list.replaceChildren(...this.files.length > 0 ? this.files.map(({ root }) => root) : [this.nothing()]);
		this.decisions.follow(answer);
		this.side.fill(this.files);
		for (const view of this.files) {
			view.showComments();
			view.show(this.decisions);
		}
		this.lazy.take(this.files.flatMap(({ hunks }) => hunks));
		if (at !== undefined) {
			this.at = undefined;
			const again = this.stops().find((stop) => stop.root.dataset.key !== undefined && stop.root.dataset.key === at.root.dataset.key);
			if (again) {
				this.go(again, from);
			}
		}
		if (typing && focused.isConnected) { // or the next letters would be keys of the page
			focused.focus({ preventScroll: true });
		}
		this.showAll();
	}

	private nothing(): HTMLElement {
		const { plan } = this.answer;
		if (plan.textOnly === true) {
			const made = element('section', { class: 'file words', 'data-key': 'plan', 'aria-label': 'The plan in words' });
			made.append(element('p', {}, 'This plan is in words. Approve it, and the edits are made from it: you will see them before anything changes.'));
			if ((plan.predicted ?? []).length > 0) {
				made.append(element('p', {}, 'It is expected to change:'), element('ul', {}, ...(plan.predicted ?? []).map((path) => element('li', {}, path))));
			}
			if (!this.readOnly && this.decisions.units.has('plan')) {
				made.append(element('span', { class: 'tools' }, button('approve', 'Approve', { class: 'choice approve', 'aria-pressed': 'false' }), button('reject', 'Reject', { class: 'choice reject', 'aria-pressed': 'false' })));
			}
			return made;
		}
		return element('p', { class: 'empty' }, plan.state === 'drafting' ? 'The plan is being made. Its changes appear here once they are complete.' : (plan.commands ?? []).length > 0 ? 'This plan changes no file. It has only the commands above.' : 'This plan changes nothing.');
	}

	/** All that j and k stop at: the hunks, and files that are decided on as one and have none. */
	stops(): (HunkView | FileView)[] {
		return this.files.flatMap((view): (HunkView | FileView)[] => view.hunks.length > 0 && !view.collapsed ? view.hunks : [view]);
	}

	get current(): HunkView | FileView | undefined { return this.at; }

	/** The file that is looked at. */
	get file(): FileView | undefined {
		const { at } = this;
		return at instanceof FileView ? at : this.files.find(({ hunks }) => at !== undefined && hunks.includes(at));
	}

	/** Goes to a hunk or a file. */
	go(to: HunkView | FileView, focus = true): void {
		this.at?.root.removeAttribute('aria-current');
		this.at = to;
		to.root.setAttribute('aria-current', 'true');
		if (!(to instanceof FileView)) {
			to.draw();
		} else {
			to.root.setAttribute('tabindex', '-1');
		}
		if (focus) {
			to.root.focus({ preventScroll: true });
			to.root.scrollIntoView({ block: to.root.offsetHeight > innerHeight * 0.6 ? 'start' : 'center' });
		}
		this.side.current(this.file);
	}

	/** Goes to the hunk with an id, and opens its file. */
	goToHunk(id: string): void {
		for (const view of this.files) {
			const there = view.hunks.find(({ hunk }) => hunk.id === id);
			if (there) {
				view.collapse(false);
				this.go(there);
			}
		}
	}

	/** Goes to the next stop, or the one before. */
	move(step: 1 | -1): void {
		const stops = this.stops(), i = this.at === undefined ? -1 : stops.indexOf(this.at);
		const to = this.at === undefined || i < 0 ? stops[step > 0 ? 0 : stops.length - 1] : stops[i + step];
		if (to) {
			this.go(to);
		} else {
			this.say(step > 0 ? 'That was the last change.' : 'That was the first change.');
		}
	}

	moveFile(step: 1 | -1): void {
		const i = this.file === undefined ? -step + (step > 0 ? 0 : this.files.length - 1) : this.files.indexOf(this.file);
		const view = this.files[i + step];
		if (view) {
			this.go(view.collapsed || view.hunks.length === 0 ? view : view.hunks[0] ?? view);
		}
	}

	/** Finds the hunk or file with a key. */
	viewOf(root: Element | null): HunkView | FileView | undefined {
		const file = this.files.find(({ root: one }) => root !== null && one.contains(root));
		return file?.hunks.find(({ root: one }) => one.contains(root)) ?? file;
	}

	/** Notes a choice for one unit or command; the same again takes it back. */
	choose(key: string, choice: Choice | undefined): void {
		if (!this.decisions.choose(key, this.decisions.of(key) === choice ? undefined : choice)) {
			const unit = this.decisions.units.get(key);
			this.say(!this.drawing.mayApprove ? this.answer.why ?? 'Your rules refuse approvals on this page.' : unit?.stale === true ? 'This change is stale: it cannot be approved.' : unit?.file?.large === true ? unseen : '');
			return;
		}
		const unit = this.decisions.units.get(key);
		const view = unit?.file && this.drawn.get(unit.file.id)?.view;
		view?.hunks.find((one) => one.unit?.key === key)?.show(this.decisions.of(key));
		view?.showSum(this.decisions);
		this.side.show(this.decisions, view);
		this.showRest();
		this.say({ approve: 'Approved.', reject: 'Rejected.', '': 'Undecided.' }[this.decisions.of(key) ?? '']);
	}

	/** Notes a choice for all units of a file; if all have it, they become undecided. */
	chooseFile(view: FileView, choice: Choice): void {
		const open = view.units.filter((unit) => choice === 'reject' || mayApprove(unit));
		this.setAll(open.map(({ key }) => key), open.every(({ key }) => this.decisions.of(key) === choice) ? undefined : choice);
		view.show(this.decisions);
		this.side.show(this.decisions, view);
		this.showRest();
		this.say(`${view.file.path}: ${decided(this.decisions.counts(view.units))}.${choice === 'approve' && view.file.large === true ? ` ${unseen}` : ''}`);
	}

	/** Approves all that is not decided, or takes all choices back. */
	chooseAll(choice: Choice | undefined): void {
		const keys = [...this.decisions.units.keys()];
		this.setAll(choice === undefined ? [...keys, ...(this.answer.plan.commands ?? []).map(({ id }) => `command ${id}`)] : keys.filter((key) => this.decisions.of(key) === undefined), choice);
		for (const view of this.files) {
			view.show(this.decisions);
		}
		this.showAll();
		const left = choice === 'approve' && [...this.decisions.units.values()].some(({ file }) => file?.large === true);
		this.say(`${decided(this.decisions.counts())}.${left ? ` ${unseen}` : ''}`);
	}

	private setAll(keys: string[], choice: Choice | undefined): void {
		if (choice === 'approve' && !this.drawing.mayApprove) {
			this.say(this.answer.why ?? 'Your rules refuse approvals on this page.');
			return;
		}
		for (const key of keys) {
			this.decisions.choose(key, choice);
		}
	}

	private showAll(): void {
		this.side.show(this.decisions);
		this.showRest();
		this.setLayout(this.layout);
	}

	/** Shows what is left to decide, and keeps it for this tab. */
	private showRest(): void {
		showCommands(this.above, this.decisions, this.drawing.mayApprove);
		const words = this.list.querySelector<HTMLElement>('.words');
		for (const one of words?.querySelectorAll<HTMLElement>('.choice') ?? []) {
			one.setAttribute('aria-pressed', `${one.dataset.action === this.decisions.of('plan')}`);
			one.toggleAttribute('disabled', one.dataset.action === 'approve' && !this.drawing.mayApprove);
		}
		const { plan, workspace, static: still } = this.answer;
		const { run, drop, open } = this.decisions.ofCommands;
		const commands = [run > 0 && `${count(run, 'command')} to run`, drop > 0 && `${count(drop, 'command')} dropped`, open > 0 && `${count(open, 'command')} undecided`].filter((part) => part !== false);
		this.tally.textContent = still === true || this.readOnly ? `Read only: plan ${plan.plan} of ${workspace}. Decide with redline review ${plan.plan}.${this.answer.withoutOutputs === true ? ' What commands have printed is left out.' : ''}` : [decided(this.decisions.counts()), ...commands].join(' · ');
		for (const [action, off] of [['finish', !this.decisions.any], ['clear', !this.decisions.any], ['approve-all', !this.drawing.mayApprove || this.decisions.counts().undecided === 0]] as const) {
			const one = this.bar.querySelector<HTMLButtonElement>(`[data-action=${action}]`);
			if (one) {
				one.disabled = off;
			}
		}
		const undo = this.bar.querySelector<HTMLButtonElement>('[data-action=undo]');
		if (undo) {
			undo.hidden = plan.undoable !== true;
		}
		if (!this.readOnly) {
			sessionStorage.setItem(this.place, this.decisions.kept());
		}
	}

	/** The name under which choices are kept for this tab. */
	private get place(): string { return `redline.choices ${this.answer.plan.plan}`; }

	/** Draws in one column, or old and new side by side where there is room. */
	setLayout(layout: Layout): void {
		this.layout = layout;
		sessionStorage.setItem('redline.layout', layout);
		const real = wide.matches ? layout : 'unified';
		this.layouts.hidden = !wide.matches;
		this.layouts.textContent = real === 'unified' ? 'Side by side' : 'One column';
		if (real !== this.drawing.layout) {
			this.drawing.layout = real;
			for (const view of this.files) {
				for (const hunk of view.hunks) {
					hunk.redraw();
				}
			}
			if (this.at && !(this.at instanceof FileView)) {
				this.at.root.scrollIntoView({ block: 'center' });
			}
		}
	}

	toggleLayout(): void {
		if (wide.matches) {
			this.setLayout(this.layout === 'unified' ? 'split' : 'unified');
		} else {
			this.say('Two sides need a wider window.');
		}
	}

	/** Shows a notice, or takes it away if there is no text. */
	notice(id: string, text: string, tone: 'plain' | 'bad' | 'good' = 'plain', ...extra: Node[]): void {
		this.notices.querySelector(`[data-notice="${id}"]`)?.remove();
		if (text !== '') {
			this.notices.append(element('div', { class: `notice ${tone}`, 'data-notice': id }, element('p', {}, text), ...extra));
		}
	}

	/** Says something to a screen reader. */
	say(text: string): void {
		this.spoken.textContent = text;
	}

	/** Draws the comments anew. */
	setComments(all: Comment[]): void {
		this.drawing.comments = all;
		for (const view of this.files) {
			view.showComments();
		}
	}

	get comments(): Comment[] { return this.drawing.comments; }
}

/** The comments of an answer. */
export function comments(answer: Answer): Comment[] {
	return answer.plan.comments ?? answer.comments ?? [];
}

/** Why what was not shown cannot be approved. */
const unseen = 'Show the lines of a large file first: only what you can see can be approved.';

/** Moves the forms that somebody types in from an earlier view of a file to the same place in a newer one. */
function keepForms(from: HTMLElement, to: HTMLElement): void {
	for (const form of from.querySelectorAll<HTMLElement>('.form')) {
		const key = form.closest<HTMLElement>('[data-key]')?.dataset.key;
		const there = [...to.querySelectorAll<HTMLElement>('[data-key]')].find(({ dataset }) => dataset.key === key);
		(there ?? to).append(form);
	}
}
