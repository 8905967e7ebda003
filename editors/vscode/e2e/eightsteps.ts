import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

export const cart = `package shop

// Total adds the prices of the items in the cart.
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price * item.Count
	}
	return sum
}

// debug prints a cart. Nothing calls it.
func debug(items []Item) {
	for _, item := range items {
		println(item.Name)
	}
}

// Print writes a receipt.
func Print(items []Item) {
	println("Total", Total(items))
}
`;
export const item = `package shop

// Item is a thing in a cart.
type Item struct {
	Name  string
	Price int
	Count int
}
`;

const parameter: [string, string] = ['func Total(items []Item) int {', 'func Total(items []Item, discount int) int {'];
const returned: [string, string] = ['\treturn sum\n', '\treturn sum - off(sum, discount)\n'];
const dead: [string, string] = ['// debug prints a cart. Nothing calls it.\nfunc debug(items []Item) {\n\tfor _, item := range items {\n\t\tprintln(item.Name)\n\t}\n}\n\n', ''];
const guard: [string, string] = ['func Print(items []Item) {\n', 'func Print(items []Item) {\n\tif len(items) == 0 {\n\t\tprintln("Nothing was bought.")\n\t\treturn\n\t}\n'];
const called: [string, string] = ['Total(items))', 'Total(items, 0))'];
const member: [string, string] = ['\tCount int\n', '\tCount int\n\tNote  string\n'];

export function reply({ role, content }: { role: string; content: string }): Piece[] {
	const edit = (file: string, [from, to]: [string, string]): Piece => ({ tool: 'edit_file', arguments: { path: file, old_string: from, new_string: to } });
	if (role === 'tool') {
		return [{ text: 'Carts have a discount now.' }];
	}
	if (content.includes('discount')) {
		return [
			{ text: 'I add a discount. ' },
			...[parameter, returned, dead, guard, called].map((change) => edit('cart.go', change)), edit('item.go', member),
			{ tool: 'write_file', arguments: { path: 'off.go', content: 'package shop\n\n// off is what a discount takes off a sum.\nfunc off(sum, percent int) int { return sum * percent / 100 }\n' } },
		];
	}
	return [{ text: 'Let me think' }, { wait: new Promise(() => undefined) }];
}

/** Makes changes in a text, as the test expects them to be made. */
const made = (text: string, ...changes: [string, string][]): string => changes.reduce((t, [from, to]) => t.replace(from, to), text);

/**
 * Takes the eight steps of every user, with real keys and, on lenses, a real mouse: request, see, navigate, approve a
 * change, reject one, approve the plan, undo, cancel. If REDLINE_SHOTS names a folder, keeps a picture of each there.
 */
export async function eightSteps(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('eight', { 'cart.go': cart, 'item.go': item }, { model: model.url });
		await Workbench.run(world, 'eight', dir, async (w) => {
			const shot = async (step: string) => {
				const to = process.env['REDLINE_SHOTS'];
				if (to) {
					fs.mkdirSync(path.join(to, 'vscode'), { recursive: true });
					await w.still();
					await w.page.screenshot({ path: path.join(to, 'vscode', `${step}.png`) });
				}
			};
			const status = (text: string | RegExp) => w.page.locator('.statusbar-item').filter({ hasText: text }).first().waitFor();
			const noToast = async () => assert.deepEqual(await w.page.locator('.notification-toast').allInnerTexts(), []);

			await w.openFile('cart.go');
			await w.ready();
			await w.ask('add a discount to carts');
			await w.shows(/7 changes wait/);
			await w.page.locator('.multiDiffEditor').getByText('discount int').first().waitFor();
			await shot('1-request');
			assert.equal(w.read('cart.go'), cart, 'nothing has changed yet');

			// The proposed changes are drawn in the text: old text, new text, and how many lines follow.
			await w.openFile('cart.go');
			await w.marks().first().waitFor();
			await until('what comes is drawn', async () => (await drawn(w)).length === 4);
			assert.deepEqual(await drawn(w), [', discount int', ' - off(sum, discount)', '+ if len(items) == 0 { … +3 more lines', ', 0']);
			assert.deepEqual(new Set((await struck(w)).join('').split(/\W+/)), new Set(dead[0].split(/\W+/)), 'the lines that go are struck through');
			assert.equal(await red(w), dead[0].split('\n').length - 1, 'the lines that go are red');
			await until('above each change is its row', async () => {
				const titles = (await w.page.locator('.editor-instance .codelens-decoration > *:not(:empty)').allInnerTexts()).map((title) => title.trim());
				return [...new Set(titles)].filter((title) => !/plan|\|/.test(title)).sort().join() === '1 of 7: +1 −1,2 of 7: +1 −1,3 of 7: −7,4 of 7: +4,5 of 7: +1 −1,Approve,Compare,Peek,Reject,‹,›';
			});
			await shot('2-see');

			// Decorations move while the user types; a change whose line they edit is no longer drawn.
			await w.goTo(1);
			await w.press('End', 'Enter');
			await w.type('// typed');
			await w.goTo(4);
			await until('what comes has moved along', async () => (await drawn(w)).length === 4 && (await red(w)) === 7);
			await w.goTo(2);
			await w.press('Control+Shift+k');
			await until('the text is as it was', async () => (await w.page.locator('.editor-instance .view-line').allInnerTexts()).every((line) => !line.includes('typed')));

			// The lens opens the comparison of the file at the change, and from there the keys stay in comparisons.
			await w.page.locator('.editor-instance .codelens-decoration a', { hasText: 'Compare' }).first().click();
			const ofCart = w.page.locator('.tab.active', { hasText: 'cart.go (plan 1)' });
			await ofCart.waitFor();
			await w.at(4);
			await w.press('Alt+F7');
			await w.at(9);
			await w.press('Shift+Alt+F7');
			await w.at(4);
			await w.press('Shift+Alt+F7'); // round, to the last file
			await w.page.locator('.tab.active', { hasText: 'off.go (plan 1)' }).waitFor();
			await w.press('Alt+F7');
			await ofCart.waitFor();
			await w.at(4);
			await status('Redline: change 1 of 7');
			await shot('3-navigate');

			// Approves by key and by lens: the next change is shown in the same tab, without a notification.
			await w.decideInComparison('Control+Enter');
			await w.shows(/6 changes wait/);
			await w.at(9);
			await ofCart.waitFor();
			await proposedLens(w, 'Approve change 2 of 7').click();
			await w.shows(/5 changes wait/);
			await w.at(12);
			await ofCart.waitFor();
			await status(/change in 1 file applied/);
			await noToast();
			await shot('4-approve-hunk');

			// Rejects: the lines stay, and the next change is shown.
			await w.decideInComparison('Control+Shift+Backspace');
			await w.shows(/4 changes wait/);
			await w.at(21);
			await w.compares('func debug(items []Item) {');
			await ofCart.waitFor();
			await proposedLens(w, 'Reject change 4 of 7').click();
			await w.shows(/3 changes wait/);
			await w.at(21);
			await proposedLens(w, 'Approve change 5 of 7').click(); // the last one of this file
			await w.shows(/2 changes wait/);
			await w.page.locator('.tab.active', { hasText: 'item.go (plan 1)' }).waitFor();
			assert.equal(await w.page.locator('.tab', { hasText: '(plan 1)' }).count(), 1, 'the next file is compared in the same tab');
			await noToast();
			await shot('5-reject-hunk');

			await w.command('Redline: Approve Plan');
			await w.shows(/no changes wait/);
			await w.chat.getByText(/Not saved yet: .*item\.go/).waitFor(); // the chat has opened with the request
			await w.saved('cart.go', made(cart, parameter, returned, called));
			await w.saved('item.go', made(item, member));
			await shot('6-approve-plan');

			await w.command('Redline: Undo Plan');
			await w.saved('cart.go', cart);
			await w.saved('item.go', item);
			await w.shows(/\d changes wait/);
			await shot('7-undo');

			await w.ask('think about it');
			await w.shows(/Click to cancel/);
			await w.command('Redline: Cancel Running Turns');
			await w.shows(/\d changes wait/);
			await shot('8-cancel');
		}, { size: { width: 1400, height: 900 } });
	} finally {
		model.stop();
	}
}

/** Returns the new texts as drawn in the editor in front, from top to bottom. */
export const drawn = async (w: Workbench): Promise<string[]> => (await parts(w)).flatMap(({ after }) => (after.startsWith('"') && after !== '""' ? [after.slice(1, -1)] : []));

/** Returns the words that are struck through. */
const struck = async (w: Workbench): Promise<string[]> => (await parts(w)).filter(({ line }) => line === 'line-through').map(({ text }) => text);

/** Returns the parts of the lines in the editor in front: their text, decoration, and the text that a style adds. */
function parts(w: Workbench): Promise<{ text: string; line: string; after: string }[]> {
	return w.page.locator('.editor-instance .monaco-editor .view-lines').first().evaluate((all) =>
		[...all.querySelectorAll<HTMLElement>('.view-line')].sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top))
			.flatMap((line) => [...line.querySelectorAll<HTMLElement>('span span')]).map((span) => {
				const plain = (text: string) => text.replaceAll('\u00a0', ' ');
				return { text: plain(span.innerText), line: getComputedStyle(span).textDecorationLine, after: plain(getComputedStyle(span, '::after').content) };
			}));
}

/** Returns how many lines have the colour of removed lines. */
const red = (w: Workbench): Promise<number> => w.page.locator('.editor-instance .monaco-editor').first().evaluate((editor) => {
	const color = (e: Element) => getComputedStyle(e).backgroundColor;
	const probe = document.createElement('div');
	probe.style.backgroundColor = 'var(--vscode-diffEditor-removedLineBackground)';
	editor.append(probe);
	const wanted = color(probe);
	probe.remove();
	return [...editor.querySelectorAll('.view-overlays > div > *')].filter((e) => color(e) === wanted).length;
});

/** Returns a lens on the proposed side of the comparison in front, by its tooltip, because lenses update a little after a decision. */
const proposedLens = (w: Workbench, title: string): Locator => w.page.locator(`.editor-instance .modified-in-monaco-diff-editor .codelens-decoration a[title="${title}"]:visible`);
