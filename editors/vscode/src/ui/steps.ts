import * as vscode from 'vscode';

/** The answer of a step when the user goes back. */
export const back = Symbol('back');

/** The answer of a step; undefined if the user has cancelled. */
export type Answered<T> = T | typeof back | undefined;

/** The title of a box and its place among the steps. */
export interface Place {
	title: string;
	step: number;
	of: number;
}

export interface Picking<T extends vscode.QuickPickItem> extends Place {
	placeholder: string;
	/** The items. While they load, the box shows that it is busy. */
	items: readonly T[] | Promise<readonly T[]>;
	/** Makes an item of a text that is not listed, if such a text is allowed. */
	free?: (text: string) => T;
	/** Reports whether an item is active at first. */
	current?: (item: T) => boolean;
}

export interface Writing extends Place {
	prompt: string;
	placeholder?: string;
	value?: string;
	password?: boolean;
	/** Returns what is wrong with a text, to show below the box, or undefined. */
	wrong: (text: string) => string | undefined;
	/** A helpful page, opened by a button. */
	page?: { title: string; url: string } | undefined;
}

/** Runs a box until it is answered or hidden, with a back button from the second step on. */
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

/** Lets the user choose an item, or enter one that is not listed. */
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

/** Lets the user enter a text. */
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
