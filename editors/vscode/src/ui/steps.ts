import * as vscode from 'vscode';

/** What a step answers when the user goes back to the one before. */
export const back = Symbol('back');

/** The value of a step, back, or undefined when the user has left. */
export type Answered<T> = T | typeof back | undefined;

/** Which step of how many a box is. */
export interface Place {
	title: string;
	step: number;
	of: number;
}

export interface Picking<T extends vscode.QuickPickItem> extends Place {
	placeholder: string;
	/** What is listed; while it is loaded the box shows that it is busy. */
	items: readonly T[] | Promise<readonly T[]>;
	/** The item of a text that is not listed, for lists that are only proposals. */
	free?: (text: string) => T;
	/** Is chosen at first. */
	current?: (item: T) => boolean;
}

export interface Writing extends Place {
	prompt: string;
	placeholder?: string;
	value?: string;
	password?: boolean;
	/** What is wrong with a text, said below the box; undefined if nothing is. */
	wrong: (text: string) => string | undefined;
	/** A page that helps, opened by a button. */
	page?: { title: string; url: string } | undefined;
}

/** Runs a box until it is answered or hidden, with a way back from the second step on. */
function ask<T>(box: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox, place: Place, listen: (done: (value: Answered<T>) => void) => vscode.Disposable[]): Promise<Answered<T>> {
	box.title = place.title;
	box.step = place.step;
	box.totalSteps = place.of;
	box.ignoreFocusOut = true;
	if (place.step > 1) {
		box.buttons = [vscode.QuickInputButtons.Back, ...box.buttons];
	}
	return new Promise((resolve) => {
		const parts: vscode.Disposable[] = [box];
		const done = (value: Answered<T>) => {
			resolve(value);
			vscode.Disposable.from(...parts).dispose();
		};
		parts.push(
			box.onDidTriggerButton((button) => (button === vscode.QuickInputButtons.Back ? done(back) : undefined)),
			box.onDidHide(() => done(undefined)),
			...listen(done),
		);
		box.show();
	});
}

/** Lets the user choose one of a list, or write what is not in it. */
export function pick<T extends vscode.QuickPickItem>(picking: Picking<T>): Promise<Answered<T>> {
	const box = vscode.window.createQuickPick<T>();
	box.placeholder = picking.placeholder;
	box.matchOnDescription = true;
	let listed: readonly T[] = [];
	const { free } = picking;
	const draw = () => {
		const written = box.value.trim();
		box.items = free && written !== '' && !listed.some((item) => item.label === written) ? [...listed, free(written)] : listed;
	};
	const take = (items: readonly T[]) => {
		listed = items;
		draw();
		box.busy = false;
		const current = picking.current && items.find(picking.current);
		if (current && box.value === '') {
			box.activeItems = [current];
		}
	};
	if (picking.items instanceof Promise) {
		box.busy = true;
		void picking.items.then(take);
	} else {
		take(picking.items);
	}
	return ask<T>(box, picking, (done) => [
		box.onDidChangeValue(draw),
		box.onDidAccept(() => (box.selectedItems[0] ? done(box.selectedItems[0]) : undefined)),
	]);
}

/** Lets the user write a text. */
export function write(writing: Writing): Promise<Answered<string>> {
	const box = vscode.window.createInputBox();
	box.prompt = writing.prompt;
	box.placeholder = writing.placeholder;
	box.value = writing.value ?? '';
	box.password = writing.password === true;
	const { page } = writing;
	const link: vscode.QuickInputButton | undefined = page && { iconPath: new vscode.ThemeIcon('link-external'), tooltip: page.title };
	box.buttons = link ? [link] : [];
	return ask<string>(box, writing, (done) => [
		box.onDidChangeValue(() => (box.validationMessage = undefined)),
		box.onDidTriggerButton((button) => (button === link && page ? void vscode.env.openExternal(vscode.Uri.parse(page.url)) : undefined)),
		box.onDidAccept(() => {
			const wrong = writing.wrong(box.value);
			if (wrong === undefined) {
				done(box.value.trim());
			} else {
				box.validationMessage = wrong;
			}
		}),
	]);
}
