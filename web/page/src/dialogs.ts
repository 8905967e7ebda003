// The dialogs: finish, ask for a rework, help.
import { element } from './element';

/** Shows a modal dialog; it is removed when it closes. The focus then returns to where it was. */
export function open(title: string, ...children: Node[]): HTMLDialogElement {
	const heading = element('h2', { id: 'dialog-title' }, title);
	const dialog = element('dialog', { 'aria-labelledby': 'dialog-title' }, heading, ...children);
	document.body.append(dialog);
	dialog.addEventListener('close', () => dialog.remove());
	dialog.showModal();
	return dialog;
}

/** A row of buttons; the first one is the main one, the last closes the dialog. */
export function buttons(...labels: [string, (() => void) | undefined][]): HTMLElement {
	return element('div', { class: 'buttons' }, ...labels.map(([label, act], i) => {
		const made = element('button', { type: 'button', class: i === 0 ? 'main' : '' }, label);
		made.addEventListener('click', () => {
			if (act === undefined) {
				made.closest('dialog')?.close();
			} else {
				act();
			}
		});
		return made;
	}));
}

/** A place for a sentence about what went wrong, which a screen reader reads at once. */
export function failure(): { root: HTMLElement; say(text: string): void } {
	const root = element('p', { class: 'failure', role: 'alert' });
	return { root, say: (text) => root.replaceChildren(...(text === '' ? [] : [element('span', {}, text)])) };
}

/** A list of sentences. */
export function sentences(all: readonly string[]): HTMLElement {
	return element('ul', { class: 'sentences' }, ...all.map((one) => element('li', {}, one)));
}

const keys: [string, string][] = [
	['j k', 'next change, previous change'], ['n p', 'next file, previous file'], ['J K', 'next line, previous line of a change'], ['a', 'approve the change; again: undecided'], ['x', 'reject the change; again: undecided'],
	['u', 'undecided'], ['A', 'approve all changes of the plan'], ['c', 'comment on the line'], ['e', 'edit the proposed lines'], ['s', 'mark the file as seen'], ['v', 'one column, or two sides'],
	['r', 'ask for a rework'], ['f', 'finish: see what will happen, then send'], ['?', 'this list'], ['Esc', 'close'],
];

/** Shows the keys, and whether they are on. */
export function help(on: boolean, turn: (on: boolean) => void): void {
	const box = element('input', { type: 'checkbox' });
	box.checked = on;
	box.addEventListener('change', () => turn(box.checked));
	open('Keys', element('table', { class: 'keys' }, element('tbody', {}, ...keys.map(([key, what]) =>
		element('tr', {}, element('th', { scope: 'row' }, ...key.split(' ').flatMap((one) => [element('kbd', {}, one), ' '])), element('td', {}, what))))),
	element('label', { class: 'check' }, box, 'Single keys act on the page'), buttons(['Close', undefined]));
}

/** A form with a text; sent with its button or Ctrl+Enter, left with Escape. */
export function form(label: string, text: string, send: string, act: (text: string) => Promise<void>, left: () => void, kind = ''): HTMLElement {
	const area = element('textarea', { rows: `${Math.min(Math.max(text.split('\n').length, 3), 24)}`, 'aria-label': label, spellcheck: kind === 'code' ? 'false' : 'true', class: kind });
	area.value = text;
	const failed = failure();
	const main = element('button', { type: 'button', class: 'main' }, send);
	const leave = element('button', { type: 'button' }, 'Cancel');
	const go = async (): Promise<void> => {
		main.disabled = true;
		failed.say('');
		try {
			await act(area.value);
		} catch (error) {
			failed.say(error instanceof Error ? error.message : 'That did not work.');
		}
		main.disabled = false;
	};
	main.addEventListener('click', () => void go());
	leave.addEventListener('click', left);
	area.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			void go();
		} else if (event.key === 'Escape') {
			event.stopPropagation();
			left();
		}
	});
	return element('div', { class: 'form', role: 'group', 'aria-label': label }, element('p', { class: 'form-label' }, label), area, failed.root, element('div', { class: 'buttons' }, main, leave));
}

/** Asks for the short code that the terminal shows. */
export function askCode(message: string, enter: (code: string) => Promise<void>): HTMLElement {
	const box = element('input', { id: 'code', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', maxlength: '20', placeholder: 'ABCD-EFGH' });
	const failed = failure();
	const made = element('form', { class: 'code-form' }, element('h1', {}, 'Redline'), element('p', {}, message),
		element('label', { for: 'code' }, 'The code that redline review shows in its terminal'), box, element('button', { type: 'submit', class: 'main' }, 'Open the plan'), failed.root);
	made.addEventListener('submit', (event) => {
		event.preventDefault();
		failed.say('');
		enter(box.value).catch((error: unknown) => {
			failed.say(error instanceof Error ? error.message : 'That did not work.');
			box.select();
		});
	});
	queueMicrotask(() => box.focus());
	return element('main', { class: 'alone' }, made);
}

/** A page of its own for an end, or for what cannot be shown. */
export function alone(title: string, ...children: Node[]): HTMLElement {
	return element('main', { class: 'alone' }, element('div', { class: 'code-form' }, element('h1', { tabindex: '-1' }, title), ...children));
}

