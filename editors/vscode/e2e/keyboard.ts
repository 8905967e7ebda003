import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { reads } from './access';
import { cart, item, reply } from './eightsteps';
import { Model } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** What has the keyboard in the chat: its name, where it is, and whether one sees that it has it. */
export interface Stop {
	name: string;
	top: number;
	left: number;
	/** Whether an outline shows it. */
	marked: boolean;
	/** Whether all of it that can be is within the part of the page that is scrolled to. */
	inside: boolean;
}

/** Returns what has the keyboard in the chat, undefined once the keyboard has left it. */
export const stopIn = (w: Workbench): Promise<Stop | undefined> => w.chat.locator('body').evaluate((body) => {
	const page = body.ownerDocument, at = page.activeElement as HTMLElement | null;
	if (!page.hasFocus() || !at || at === body) {
		return undefined;
	}
	const style = getComputedStyle(at), box = at.getBoundingClientRect(), around = at.closest('#log')?.getBoundingClientRect() ?? { top: 0, left: 0, bottom: innerHeight, right: innerWidth, height: innerHeight };
	const fits = box.height > around.height ? box.top < around.bottom && box.bottom > around.top : box.top >= around.top - 1 && box.bottom <= around.bottom + 1;
	return {
		name: (at.getAttribute('aria-label') ?? at.innerText).trim().split('\n')[0] ?? '', top: Math.round(box.top + (page.getElementById('log')?.scrollTop ?? 0)), left: Math.round(box.left),
		marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1, inside: fits && box.left >= -1 && box.right <= innerWidth + 1,
	};
});

/** Goes through the chat with Tab, from its field up to its top and down again, and returns all that has had the keyboard, from the top. */
export async function tabbed(w: Workbench): Promise<Stop[]> {
	const found: Stop[] = [];
	await w.focusMessage();
	for (let stop = await stopIn(w); stop; stop = await stopIn(w)) {
		found.unshift(stop);
		assert.ok(found.length < 100, 'the chat lets the keyboard go');
		const { name, top } = stop;
		await w.press('Shift+Tab');
		await until(`${name} has let the keyboard go`, async () => {
			const now = await stopIn(w);
			return now?.name !== name || now.top !== top;
		});
	}
	return found;
}

/** Takes the eight steps with the keyboard alone: ask, see, move, approve one, reject one, approve the rest, undo, talk. */
export async function keyboardAlone(world: World): Promise<void> {
	const model = await Model.start((said) => (said.role === 'user' && said.content.includes('explain') ? [{ text: 'It takes a part off:\n\n```go\noff(sum, discount)\n```\n' }] : reply(said)));
	try {
		const dir = world.workspace('keyboard', { 'cart.go': cart, 'item.go': item }, { model: model.url });
		await Workbench.run(world, 'keyboard', dir, async (w) => {
			await w.openFile('cart.go');
			await w.ready();
			await w.press('Control+k', 'a');
			const box = w.page.locator('.quick-input-widget:has-text("What should change?") input[type="text"]').first();
			await box.waitFor();
			await w.type('add a discount to carts');
			await w.press('Enter');
			await w.shows(/7 changes wait/);
			await w.ready();

			await w.openFile('cart.go');
			await w.marks().first().waitFor();
			await w.goTo(1);
			await w.press('Alt+F7');
			await w.at(4);
			await w.press('Control+Enter');
			await w.shows(/6 changes wait/);
			await w.at(9); // the next change is shown
			await w.focused();
			await w.press('Control+Shift+Backspace');
			await w.shows(/5 changes wait/);
			await w.at(12);

			// From a button in the status bar: elsewhere than at a change it goes to the next one, and decides nothing.
			await w.goTo(1);
			await inStatusBar(w, 'Approve the change at the cursor');
			await w.at(12);
			await w.shows(/5 changes wait/);
			await inStatusBar(w, 'Approve the change at the cursor');
			await w.shows(/4 changes wait/);

			// In the chat, all that is there has the keyboard in turn, and one sees it.
			await w.openChat();
			const stops = await tabbed(w);
			assert.deepEqual(stops.map(({ name }) => name), ['7 steps', 'Plan 1, in review', 'Approve the rest', 'Review', 'Reject', 'Undo (1 file, +1 −8)', 'Open as text', 'Trace', 'Remove cart.go', 'Message to Redline']);
			check(stops);
			await w.focusMessage();
			await w.press('Control+Enter');
			await onCard(w);
			await w.press('Tab', 'Enter');
			await w.shows(/no changes wait/);
			await until('its card has the keyboard, as what was pressed is gone', async () => (await stopIn(w))?.name === 'Plan 1, completed');
			await until('the plan can be undone', () => w.chat.locator('.card [data-act="undo"]').isVisible());
			await w.press('Tab');
			await until('the keyboard is on Undo', async () => (await stopIn(w))?.name.startsWith('Undo'));
			await w.press('Enter');
			await w.shows(/\d changes wait/);
			await w.saved('cart.go', cart);

			await w.openChat();
			await w.press('Control+Enter');
			await onCard(w);
			await w.press('Escape');
			await until('Escape goes back to the field', async () => (await stopIn(w))?.name === 'Message to Redline');
			await w.type('explain the discount');
			await w.press('Enter');
			await w.chat.locator('.answer pre', { hasText: 'off(sum, discount)' }).waitFor();
			await w.ready();
			await reads(w, ['group', 'Code'], ['button', 'Copy this code'], ['list', 'What goes with the message'], ['button', 'Remove cart.go']);
			check(await tabbed(w));
			await w.press('Control+1');
			await w.focused();
		});
	} finally {
		model.stop();
	}
}

/** Fails unless each has a name and an outline, is on the screen, and comes after what stands above it. */
export function check(stops: Stop[]): void {
	assert.deepEqual(stops.filter(({ name, marked, inside }) => name === '' || !marked || !inside), []);
	stops.slice(1).forEach((stop, i) => assert.ok((stops[i]?.top ?? 0) <= stop.top + 8 || (stops[i]?.left ?? 0) < stop.left, `${stop.name} stands above ${String(stops[i]?.name)}`));
}

const onCard = (w: Workbench) => until('the plan has the keyboard', async () => (await stopIn(w))?.name.startsWith('Plan 1, '));

/** Presses a button of the status bar, which the keyboard reaches with F6 and the arrow keys. */
async function inStatusBar(w: Workbench, label: string): Promise<void> {
	const bar = w.page.locator('.part.statusbar'), focused = (of: Locator) => of.evaluate((e) => e === e.ownerDocument.activeElement || e.contains(e.ownerDocument.activeElement));
	await until('the status bar has the keyboard', async () => {
		if (await focused(bar)) {
			return true;
		}
		await w.press('F6');
		return false;
	});
	const item = bar.locator('.statusbar-item').filter({ has: w.page.getByLabel(label, { exact: true }) }).first();
	await until(`${label} has the keyboard`, async () => {
		if (await focused(item)) {
			return true;
		}
		await w.press('ArrowRight');
		return false;
	});
	await w.press('Enter');
}
