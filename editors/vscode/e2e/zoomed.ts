import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { cart, item, reply } from './eightsteps';
import { check, tabbed } from './keyboard';
import { Model } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** At 200 % nothing of the chat, the tree, the row above a change and the status bar is cut off or out of reach. */
export async function zoomed(world: World): Promise<void> {
	const model = await Model.start((said) => (said.role === 'user' && said.content.includes('explain') ? [{ text: `\`\`\`go\n${'x'.repeat(200)}\n\`\`\`\n\n${'long'.repeat(50)}` }] : reply(said)));
	try {
		const dir = world.workspace('zoomed', { 'cart.go': cart, 'item.go': item }, { model: model.url });
		await Workbench.run(world, 'zoomed', dir, async (w) => {
			await w.openFile('cart.go');
			await w.ready();
			await w.openChat();
			await w.type('explain it');
			await w.press('Enter');
			await w.chat.locator('.answer pre').waitFor();
			await w.ready();
			await w.focusMessage();
			await w.type('add a discount to carts');
			await w.press('Enter');
			await w.shows(/7 changes wait/);
			await w.ready();

			// The whole row above a change, and the buttons in the title and the status bar.
			await w.openFile('cart.go');
			await w.marks().first().waitFor();
			await w.goTo(4);
			const row = w.page.locator('.editor-instance .codelens-decoration', { hasText: '1 of 7' });
			for (const name of ['Approve', 'Reject', '‹', '›', 'Peek', 'Compare']) {
				await onScreen(row.getByText(name, { exact: true }));
			}
			for (const name of ['Approve All Changes in File', 'Reject All Changes in File']) {
				await onScreen(w.title(name));
			}
			for (const name of [/^Redline: 7 changes/, 'Go to the previous change', 'Approve the change at the cursor', 'Reject the change at the cursor', 'Go to the next change']) {
				await onScreen(w.page.locator('.statusbar-item').getByRole('button', { name }));
			}
			await w.still();
			await w.screenshot('zoomed-text');

			// In the chat nothing is wider than the page but code, which scrolls; all that can be pressed is reached, and shown then.
			await w.openChat();
			check(await tabbed(w));
			const wide = await w.chat.locator('body').evaluate((body) => {
				const page = body.ownerDocument.documentElement, log = body.querySelector('#log');
				return [page.scrollWidth - page.clientWidth, log ? log.scrollWidth - log.clientWidth : NaN];
			});
			assert.deepEqual(wide, [0, 0], 'the chat is not wider than its view');
			await w.focusMessage();
			await w.press('Control+Enter');
			const card = w.chat.locator('.card');
			await until('there is room for the card', () => w.chat.locator('#log').evaluate((log) => Math.min(log.getBoundingClientRect().bottom, innerHeight) - log.getBoundingClientRect().top > 80));
			await until('the top of the card is shown', () => card.evaluate((e) => e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().top < innerHeight / 2));
			await w.still();
			await w.screenshot('zoomed-card');

			// The tree: the number of the line is not cut off.
			await w.select(/^Line 4/);
			const cut = await w.row(/^Line 9/).locator('.monaco-icon-label-container').first().evaluate((e) => e.scrollWidth - e.clientWidth);
			assert.ok(cut <= 0, `the line of a change and its size are cut off by ${cut} pixels`);
			await w.still();
			await w.screenshot('zoomed-tree');
		}, { zoom: 2 });
	} finally {
		model.stop();
	}
}

/** Waits until all of an element is in the window, and nothing covers it. */
const onScreen = (element: Locator): Promise<boolean> => until(`${String(element)} is all on the screen`, () => element.first().evaluate((e) => {
	const { left, right, top, bottom } = e.getBoundingClientRect(), at = e.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2);
	const shown = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && right > left;
	return shown && (e.contains(at) || at?.contains(e) === true);
}));
