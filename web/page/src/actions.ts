// What clicks and keys do.
import { Refusal, type Decided, type Server } from './api';
import { alone, buttons, failure, form, help, open, sentences } from './dialogs';
import { element } from './element';
import { FileView } from './file';
import { follow } from './live';
import { typed } from './rows';
import { keysAreOn, onKeys, turnKeys } from './keys';
import type { HunkView } from './hunk';
import type { Page } from './page';
import type { Answer, Side } from './types';
import type { Choice } from './decisions';
import { replied } from './words';

export class Actions {
	/** The large files whose lines the user has asked for, by id. */
	private readonly loaded = new Set<string>();
	private asking = false;
	private again = false;
	private ended = false;
	/** Ends what the page listens to: another page takes over, or the review has ended. */
	private readonly over = new AbortController();

	constructor(private page: Page, private server: Server | undefined, private refused: (message: string) => void) {}

	/** Listens to the user and the server. */
	start(): void {
		const { page, over: { signal } } = this;
		document.addEventListener('click', (event) => this.clicked(event), { signal });
		document.addEventListener('change', (event) => {
			const view = event.target instanceof Element && event.target.matches('[data-change=seen]') ? page.viewOf(event.target) : undefined;
			if (view instanceof FileView) {
				this.see(view, view.isSeen);
			}
		}, { signal });
		const move = { j: () => page.move(1), k: () => page.move(-1), n: () => page.moveFile(1), p: () => page.moveFile(-1), J: () => this.line(1), K: () => this.line(-1), v: () => page.toggleLayout(), '?': () => help(keysAreOn(), turnKeys) };
		onKeys(this.server === undefined ? move : {
			...move, a: () => this.decide('approve'), x: () => this.decide('reject'), u: () => this.decide(undefined), A: () => page.chooseAll('approve'), c: () => this.commentHere(), e: () => void this.editHere(),
			s: () => { const { file } = page; if (file) { this.see(file, !file.isSeen); } }, r: () => this.rework(), f: () => this.finish(),
		}, signal);
		if (this.server !== undefined) {
			this.showState();
			void follow(this.server, {
				changed: () => void this.reload(),
				answers: (yes) => page.notice('connection', yes ? '' : 'Redline does not answer. What you have decided here is kept in this tab; the page tries again.', 'bad'),
				refused: (message) => this.leave(message),
				ended: (text) => this.end(text),
			}, signal);
		}
	}

	private clicked(event: MouseEvent): void {
		const at = event.target instanceof Element ? event.target : document.body;
		const action = at.closest<HTMLElement>('[data-action]');
		const { page } = this;
		const view = page.viewOf(at);
		if (action === null) {
			const cell = at.closest<HTMLElement>('td.number');
			const row = cell?.closest<HTMLElement>('tr[data-line]');
			if (view && row && cell && this.server !== undefined) {
				const from = cell.dataset.line === undefined ? row : cell;
				this.comment(view, Number(from.dataset.line), from.dataset.side === 'old' ? 'old' : 'new', row);
			} else if (view && !(view instanceof FileView) && getSelection()?.isCollapsed !== false) {
				page.go(view, false);
			}
			return;
		}
		const key = action.closest<HTMLElement>('[data-key]')?.dataset.key;
		const file = view instanceof FileView ? view : page.files.find((one) => view !== undefined && one.hunks.includes(view));
		switch (action.dataset.action) {
		case 'approve': case 'reject':
			if (view && !(view instanceof FileView)) {
				page.go(view, false);
			}
			if (key !== undefined) {
				page.choose(key, action.dataset.action);
			}
			break;
		case 'approve-file': case 'reject-file':
			if (file) {
				page.go(file.collapsed ? file : file.hunks[0] ?? file, false);
				page.chooseFile(file, action.dataset.action === 'approve-file' ? 'approve' : 'reject');
			}
			break;
		case 'approve-all': page.chooseAll('approve'); break;
		case 'clear': page.chooseAll(undefined); break;
		case 'fold': file?.collapse(!file.collapsed); break;
		case 'comment':
			if (view && !(view instanceof FileView)) {
				page.go(view, false);
				this.commentHere();
			}
			break;
		case 'edit':
			if (view && !(view instanceof FileView)) {
				page.go(view, false);
				void this.editHere();
			}
			break;
		case 'uncomment': void this.uncomment(action.closest<HTMLElement>('[data-comment]')?.dataset.comment ?? ''); break;
		case 'go-to':
			if (action.dataset.hunk === undefined) {
				this.goTo(action.dataset.path ?? '', Number(action.dataset.line));
			} else {
				page.goToHunk(action.dataset.hunk);
			}
			break;
		case 'go-to-file': {
			event.preventDefault();
			const to = page.files.find((one) => one.file.id === action.dataset.file);
			if (to) {
				page.go(to.collapsed || to.hunks.length === 0 ? to : to.hunks[0] ?? to, false);
				to.root.setAttribute('tabindex', '-1');
				to.root.scrollIntoView({ block: 'start' });
				to.root.focus({ preventScroll: true });
			}
			break;
		}
		case 'load': if (file) { void this.load(file); } break;
		case 'layout': page.toggleLayout(); break;
		case 'help': help(keysAreOn(), turnKeys); break;
		case 'finish': this.finish(); break;
		case 'rework': this.rework(); break;
		case 'undo': this.undo(); break;
		case 'close': this.close(); break;
		}
	}

	private decide(choice: Choice | undefined): void {
		const at = this.page.current;
		const key = at instanceof FileView ? at.whole?.key : at?.unit?.key ?? this.page.file?.whole?.key;
		if (at instanceof FileView && key === undefined && choice !== undefined && at.units.length > 0) {
			this.page.chooseFile(at, choice);
		} else if (at !== undefined && !(at instanceof FileView) && this.page.file?.collapsed === true) {
			this.page.say('This file is folded: open it first.');
		} else if (key === undefined) {
			this.page.say(at === undefined ? 'Go to a change first: press j.' : 'This is decided already.');
		} else if (choice !== undefined || this.page.decisions.of(key) !== undefined) {
			this.page.choose(key, choice ?? this.page.decisions.of(key));
		}
	}

	private line(step: 1 | -1): void {
		const at = this.page.current;
		if (at === undefined || at instanceof FileView) {
			this.page.move(1);
			return;
		}
		const row = at.moveCursor(step);
		row?.scrollIntoView({ block: 'nearest' });
		const kind = row?.className.includes('added') ? 'added ' : row?.className.includes('removed') ? 'removed ' : '';
		this.page.say(row ? `${kind}line ${row.dataset.line ?? ''}: ${row.querySelector('td.code:last-child')?.textContent ?? ''}` : '');
	}

	private goTo(path: string, line: number): void {
		const view = this.page.files.find(({ file }) => file.path === path || file.id === path);
		if (!view) {
			this.page.say(`${path} is not a file that the plan changes.`);
			return;
		}
		view.collapse(false);
		this.page.go(view.hunks.find((one) => one.has(line, 'new')) ?? view.hunks[0] ?? view);
	}

	private see(view: FileView, seen: boolean): void {
		view.see(seen);
		this.page.side.show(this.page.decisions);
		void this.try(() => this.on.see(this.page.answer.plan.revision, view.file.id, seen));
	}

	private async load(view: FileView): Promise<void> {
		await this.try(async () => {
			this.loaded.add(view.file.id);
			this.page.draw(await this.withLoaded(this.page.answer));
		});
	}

	/** Returns an answer with the lines of the large files that the user has asked for. */
	private async withLoaded(answer: Answer): Promise<Answer> {
		const files: Answer['view']['files'] = [];
		for (const file of answer.view.files) {
			files.push(file.large === true && this.loaded.has(file.id) ? { ...await this.on.file(file.id), large: false } : file);
		}
		return { ...answer, view: { ...answer.view, files } };
	}

	private get on(): Server {
		if (this.server === undefined) {
			throw new Refusal(0, 'This page is read only.');
		}
		return this.server;
	}

	/** Does something; a refusal becomes a notice. */
	private async try(act: () => Promise<unknown>): Promise<void> {
		try {
			this.page.notice('failed', '');
			await act();
		} catch (error) {
			this.page.notice('failed', this.why(error), 'bad');
		}
	}

	/** Why something did not work; a plan that has changed is read again, and a review that has ended is left. */
	private why(error: unknown): string {
		if (error instanceof Refusal && error.status === 401) {
			this.leave(error.message);
		}
		if (error instanceof Refusal && error.status === 409) {
			void this.reload();
		}
		if (error instanceof Refusal && error.status === 410) {
			this.ended = false; // if the end was heard of before, it did not say that this came too late
			this.end(error.message);
		}
		return error instanceof Refusal ? error.message : 'That did not work.';
	}

	/** Reads the plan again; while it reads, one more wish to read is enough. */
	private async reload(): Promise<void> {
		if (this.asking) {
			this.again = true;
			return;
		}
		this.asking = true;
		try {
			do {
				this.again = false;
				const answer = await this.withLoaded(await this.on.plan());
				const { page } = this, before = page.answer;
				const chosen = page.decisions.any, kept = page.decisions.follow(answer);
				page.draw(answer);
				if (kept > 0 && answer.plan.hash !== before.plan.hash) {
					page.notice('changed', `The plan has changed. ${kept === 1 ? 'One of your choices was' : `${kept} of your choices were`} about something else: look at it again.`);
				} else if (answer.plan.revision !== before.plan.revision) {
					page.notice('changed', `Revision ${answer.plan.revision} is here.${chosen ? ' Your choices for what is the same are kept.' : ''}`);
				} else if (kept > 0) {
					page.notice('changed', `${kept === 1 ? 'One change was' : `${kept} changes were`} decided elsewhere, or the file has changed.`);
				}
				this.showState();
			} while (this.takeAgain());
		} catch (error) {
			if (error instanceof Refusal && error.status === 410) {
				this.end(error.message);
			} else {
				this.page.notice('failed', error instanceof Refusal ? error.message : 'That did not work.', 'bad');
			}
		} finally {
			this.asking = false;
		}
	}

	private takeAgain(): boolean { return this.again; }

	private showState(): void {
		const { page } = this, { plan, editor, decision, canApprove, why, offline, ended, reply } = page.answer;
		page.notice('state', plan.state === 'executing' ? 'The plan is being carried out.' : plan.state === 'drafting' ? 'A new revision is being made. It appears here.' : ended === true ? 'Nothing is left to decide here.' : '', ended === true ? 'good' : 'plain');
		page.notice('reply', reply && plan.state !== 'drafting' ? replied(reply) : '', reply?.state === 'failed' ? 'bad' : 'plain');
		page.notice('decision', decision ? `${decision.by || 'The editor'} is applying your decision.` : '');
		page.notice('policy', canApprove === false ? why ?? 'Your rules refuse approvals on this page.' : '');
		page.notice('editor', editor?.open === true ? `${editor.name || 'An editor'} has this workspace open: it applies what you approve, so its unsaved text is safe.` : '');
		page.notice('offline', offline === true && plan.state === 'drafting' ? 'No model is configured: the built-in model answers.' : '');
	}

	/** The token is not good any more: the page asks for a code. */
	private leave(message: string): void {
		if (!this.over.signal.aborted) {
			this.over.abort();
			this.refused(message);
		}
	}

	private end(text: string): void {
		if (this.ended) {
			return;
		}
		this.ended = true;
		this.over.abort();
		for (const dialog of document.querySelectorAll('dialog')) {
			dialog.close();
		}
		const all = text.split('\n').filter((line) => line !== '');
		document.body.replaceChildren(alone('The review has ended', ...all.length > 1 ? [sentences(all)] : [element('p', {}, text)], element('p', {}, 'You can close this tab.')));
		document.querySelector<HTMLElement>('h1')?.focus();
	}

	// --- comments and edits

	private commentHere(): void {
		const at = this.page.current;
		if (at === undefined || at instanceof FileView) {
			this.page.say('Go to a change first: press j.');
			return;
		}
		const line = at.line();
		if (line) {
			this.comment(at, line.line, line.side);
		}
	}

	private comment(view: HunkView | FileView, line: number, side: Side, row?: HTMLElement): void {
		const { page } = this;
		const file = view.file;
		const made = form(`Comment on ${side === 'old' ? 'old ' : ''}line ${line} of ${file.path}`, '', 'Add comment', async (text) => {
			if (text.trim() === '') {
				leave();
				return;
			}
			const { id } = await this.sent(() => this.on.comment(page.answer.plan.revision, file.id, line, side, text));
			leave();
			page.setComments([...page.comments.filter((one) => one.id !== id), { id, path: file.path, line, side, text }]);
			page.say('The comment is kept. Ask for a rework to send it.');
		}, () => leave());
		const leave = (): void => {
			(made.closest('tr.under') ?? made).remove();
			view.root.focus({ preventScroll: true });
		};
		if (view instanceof FileView) {
			const under = element('tr', { class: 'under' }, element('td', { colspan: '4' }, made));
			row?.after(under);
		} else {
			view.insert(made, line, side);
		}
		made.querySelector('textarea')?.focus();
	}

	private async uncomment(id: string): Promise<void> {
		await this.try(async () => {
			await this.on.uncomment(id);
			this.page.setComments(this.page.comments.filter((one) => one.id !== id));
		});
	}

	private async editHere(): Promise<void> {
		const at = this.page.current, { plan } = this.page.answer;
		if (at === undefined || at instanceof FileView || at.unit?.hunk === undefined || at.hunk.also !== undefined || at.unit.stale) {
			this.page.say('Go to a change that is not decided, to edit it.');
			return;
		}
		const { hunk, file } = at;
		let before: string;
		try {
			before = (await this.on.hunk(hunk.id)).text;
		} catch (error) {
			this.page.notice('failed', this.why(error), 'bad');
			return;
		}
		const leave = (): void => {
			made.remove();
			at.lines.hidden = false;
			at.root.focus({ preventScroll: true });
		};
		const made = form(`The proposed lines of ${file.path}; yours become a new revision`, before, 'Save as a revision', async (text) => {
			await this.sent(() => this.on.edit(plan.revision, plan.hash, file.id, hunk.id, typed(before, text)));
			leave();
			await this.reload();
		}, leave, 'code');
		at.root.querySelector('.form')?.remove();
		at.lines.hidden = true;
		at.lines.after(made);
		made.querySelector('textarea')?.focus();
	}

	/** Sends something from a form; why it was refused is the form's to show. */
	private async sent<T>(send: () => Promise<T>): Promise<T> {
		try {
			return await send();
		} catch (error) {
			throw new Error(this.why(error), { cause: error });
		}
	}

	// --- what is sent

	private rework(): void {
		const waiting = this.page.comments.filter(({ done }) => done !== true), { plan } = this.page.answer;
		const dialog = open('Ask for a rework',
			element('p', {}, waiting.length === 0 ? 'Say what should be different. The next revision appears here; nothing is decided.' : `${waiting.length === 1 ? 'Your comment is' : `Your ${waiting.length} comments are`} sent together with what you write here.`),
			...waiting.length > 0 ? [sentences(waiting.map(({ path, line, side, text }) => `${path}, ${side === 'old' ? 'old ' : ''}line ${line}: ${text}`))] : [],
			form('What should be different', '', 'Ask', async (text) => {
				if (text.trim() === '' && waiting.length === 0) {
					throw new Error('Write what should be different, or comment on a line.');
				}
				await this.sent(() => this.on.rework(plan.revision, plan.hash, text.trim()));
				dialog.close();
				await this.reload();
			}, () => dialog.close()));
	}

	private finish(): void {
		const { page } = this;
		if (!page.decisions.any) {
			page.say('Nothing is decided yet.');
			return;
		}
		const what = element('div', { class: 'what', role: 'status' }, element('p', { class: 'quiet-text' }, 'Redline works out what will happen …'));
		const failed = failure();
		const body = page.decisions.body();
		const reason = element('input', { type: 'text', id: 'reason', maxlength: '2000' });
		const waits = element('p', { class: 'quiet-text', role: 'status' });
		const rejects = body.reject.hunks.length + body.reject.files.length > 0 || body.reject.plan === true;
		const row = buttons(['Send', () => void send()], ['Keep reviewing', undefined]);
		const [main] = row.querySelectorAll('button');
		const send = async (): Promise<void> => {
			if (main) {
				main.disabled = true;
			}
			failed.say('');
			const { editor } = page.answer;
			waits.textContent = editor?.open === true ? `${editor.name || 'The editor'} is asked to apply it …` : '';
			try {
				this.told(await page.decisions.send(() => this.on.decide({ ...body, ...(reason.value.trim() === '' ? {} : { reason: reason.value.trim() }) })));
				dialog.close();
				await this.reload();
			} catch (error) {
				waits.textContent = '';
				failed.say(this.why(error));
				if (main) {
					main.disabled = error instanceof Refusal && error.status === 409;
				}
			}
		};
		if (main) {
			main.disabled = true;
		}
		const dialog = open('What will happen', what, ...rejects ? [element('label', { for: 'reason' }, 'Why you reject (if you like; the model reads it)'), reason] : [], failed.root, waits,
			element('p', { class: 'quiet-text' }, `Plan ${page.answer.plan.plan}, revision ${body.revision}, ${body.hash.replace(/^sha256:/, '').slice(0, 12)}. If a text changes before, nothing happens.`), row);
		this.on.preview(body).then(({ sentences: all }) => {
			what.replaceChildren(sentences(all));
			if (main) {
				main.disabled = false;
				main.focus();
			}
		}, (error: unknown) => {
			what.replaceChildren();
			failed.say(this.why(error));
		});
	}

	/** Shows what has happened. */
	private told({ sentences: all, way, commandFailed }: Decided): void {
		const extra = all && all.length > 1 ? [sentences(all.slice(1))] : [];
		this.page.notice('outcome', all?.[0] ?? (way === 'editor' ? 'The editor has carried it out.' : 'It is done.'), commandFailed === undefined || commandFailed === '' ? 'good' : 'bad', ...extra);
	}

	private undo(): void {
		const { plan } = this.page.answer;
		const failed = failure();
		const dialog = open('Undo', element('p', {}, `Take back what was applied of plan ${plan.plan}? What you have typed since stays.`), failed.root, buttons(['Undo', () => {
			this.on.undo(plan.revision, plan.hash).then(async (result) => {
				dialog.close();
				this.told(result);
				await this.reload();
			}, (error: unknown) => failed.say(error instanceof Refusal && error.status === 404 ? `Undo it in a terminal: redline plans undo ${plan.plan}` : this.why(error)));
		}], ['Cancel', undefined]));
	}

	private close(): void {
		const failed = failure();
		const dialog = open('End the review', element('p', {}, `${this.page.decisions.any ? 'What you have chosen and not sent is dropped. ' : ''}What you have sent stays, and what runs is not stopped.`), failed.root, buttons(['End review', () => {
			this.on.close().then(({ sentences: all }) => {
				dialog.close();
				this.end(all.join('\n'));
			}, (error: unknown) => failed.say(this.why(error)));
		}], ['Cancel', undefined]));
	}
}
