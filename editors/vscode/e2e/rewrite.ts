import assert from 'node:assert/strict';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const head = 'package shop\n\n';
const old = `// Total adds the prices of the items.
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price * item.Count
	}
	return sum
`;
const now = `// Sum returns what the cart costs, or why that is not known.
func Sum(cart Cart) (total int, err error) {
	defer cart.Locked()()
	prices, err := cart.Prices()
	slices.Sort(prices)
	total = add(prices)
	log.Print(total)
	return total, err
`;
const tail = `}

// debug prints a cart.
func debug(items []Item) {
	println(len(items))
}
`;

export const before = head + old + tail;

export function reply({ role }: { role: string }): Piece[] {
	return role === 'tool' ? [{ text: 'Done.' }] : [{ tool: 'edit_file', arguments: { path: 'cart.go', old_string: old, new_string: now } }];
}

/** A rewrite in the text: the old lines are struck through, the new ones are a column at their right, and the row above opens them. */
export async function rewrite(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('rewrite', { 'cart.go': before }, { model: model.url });
		await Workbench.run(world, 'rewrite', dir, async (w) => {
			await w.openFile('cart.go');
			await w.ready();
			await w.ask('return an error for an empty cart');
			await w.shows(/1 change waits/);
			await w.command('View: Close All Editors');
			await w.openFile('cart.go');
			await w.marks().first().waitFor();
			const wanted = now.trimEnd().split('\n');
			await until('the new lines are a column', async () => (await column(w)).length === wanted.length);
			assert.deepEqual((await column(w)).map(({ text }) => text), wanted.map((line) => `+ ${line.replaceAll('\t', '    ')}`));
			assert.equal(new Set((await column(w)).map(({ left }) => Math.round(left))).size, 1, 'each row begins at the same place');
			await w.still();
			await w.screenshot('rewrite-dark');

			// The column moves with typing above it.
			await w.goTo(1);
			await w.press('End', 'Enter');
			await w.type('// typed');
			await until('the column has moved along', async () => (await column(w)).length === wanted.length);
			await w.goTo(2);
			await w.press('Control+Shift+k');
			await until('the text is as it was', async () => (await w.page.locator('.editor-instance .view-line').allInnerTexts()).every((line) => !line.includes('typed')));

			const row = (title: string) => w.page.locator('.editor-instance .codelens-decoration').getByText(title, { exact: true });
			await row('1 of 1: +8 −7').waitFor();
			await row('Peek').click();
			const peek = w.page.locator('.peekview-widget');
			await peek.getByText('slices.Sort').first().waitFor();
			await w.still();
			await w.screenshot('rewrite-peek');
			await w.press('Escape');
			await until('the peek is closed', async () => (await peek.count()) === 0);
			await row('Compare').click();
			await w.page.locator('.tab.active', { hasText: 'cart.go (plan 1)' }).waitFor();
			await w.at(3);
			await w.still();
			await w.screenshot('rewrite-compare');
		});
	} finally {
		model.stop();
	}
}

/** Returns the texts that are drawn after lines, from top to bottom, and where they begin on the screen. */
const column = (w: Workbench): Promise<{ text: string; left: number }[]> => w.page.locator('.editor-instance .monaco-editor .view-lines').first().evaluate((all) =>
	[...all.querySelectorAll<HTMLElement>('.view-line')].sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top)).flatMap((line) => {
		const span = [...line.querySelectorAll<HTMLElement>('span span')].find((one) => getComputedStyle(one, '::after').content.startsWith('"'));
		if (!span) {
			return [];
		}
		const style = getComputedStyle(span, '::after');
		const text = style.content.slice(1, -1).replaceAll('\u00a0', ' ').trimEnd();
		return [{ text, left: span.getBoundingClientRect().right - (parseFloat(style.width) || 0) }];
	}));
