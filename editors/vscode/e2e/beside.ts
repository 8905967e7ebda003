import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { patience, until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** Opens the page of a review with the code that it prints. */
async function pageOf(world: World, review: ReturnType<World['begin']>): Promise<Page> {
	review.stdout.resume();
	let address = '', code = '', said = '';
	for await (const line of createInterface({ input: review.stderr })) {
		said += `${line}\n`;
		address ||= /http:\/\/127\.0\.0\.1:\d+\//.exec(line)?.[0] ?? '';
		code ||= /code ([A-Z0-9]{4}-[A-Z0-9]{4})$/.exec(line)?.[1] ?? '';
		if (address !== '' && code !== '') {
			break;
		}
	}
	review.stderr.resume();
	assert.ok(code !== '', `redline review has ended: ${said}`);
	const page = await (await world.browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
	page.setDefaultTimeout(patience);
	await page.goto(address);
	await page.locator('#code').fill(code);
	await page.keyboard.press('Enter');
	await page.locator('.hunk tr').first().waitFor();
	return page;
}

/** The text of the editor in front. */
const text = (w: Workbench): Promise<string> => w.page.locator('.editor-instance .monaco-editor .view-lines').first().evaluate((all) =>
	[...all.querySelectorAll<HTMLElement>('.view-line')].sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top)).map((line) => line.textContent).join('|').replaceAll('\u00a0', ' '));

/** What the page decides goes into the unsaved text of the workbench, and what the workbench decides appears on the page. */
export async function reviewBeside(world: World): Promise<void> {
	const files = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\none more\n', 'b.txt': 'one\n' };
	const dir = world.workspace('beside', files);
	world.run(dir, 'run', 'replace "one" with "1"');
	await Workbench.run(world, 'beside', dir, async (w) => {
		const review = world.begin(dir, 'review', '--no-open', '--wait');
		const ended = new Promise<number | null>((resolve) => review.once('close', resolve));
		try {
			const page = await pageOf(world, review);
			await w.openFile('a.txt');
			await w.shows(/3 changes wait/);
			await page.getByText('has this workspace open').waitFor();
			await w.goTo(5);
			await w.type('typed ');
			await until('it is typed', async () => (await text(w)).includes('|typed five|'));

			const send = async (sentence: string): Promise<void> => {
				await page.keyboard.press('f');
				await page.getByRole('dialog').getByText(sentence).waitFor();
				await page.locator('button.main:focus', { hasText: 'Send' }).press('Enter');
				await page.getByRole('dialog').waitFor({ state: 'hidden' }); // keys are off until the answer is there
			};
			const applied = page.locator('.file', { hasText: 'a.txt' }).locator('.hunk .state', { hasText: 'applied' });
			await page.keyboard.press('j');
			await page.keyboard.press('a');
			await send('Changes a.txt: 1 of 2 changes.');
			await until('the change is in the text', async () => (await text(w)).startsWith('1|two|three|four|typed five|six|one more'));
			assert.equal(w.read('a.txt'), files['a.txt'], 'saving is left to the user');
			await applied.first().waitFor();

			await w.shows(/2 changes wait/);
			await w.goTo(7);
			await w.command('Redline: Approve Change at Cursor');
			await w.shows(/1 change waits/);
			await applied.nth(1).waitFor();

			await page.keyboard.press('Shift+A');
			await send('Changes b.txt: 1 change.');
			await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
			assert.equal(await ended, 0);
			await w.shows(/no changes wait/);
			await w.saved('a.txt', '1\ntwo\nthree\nfour\ntyped five\nsix\n1 more\n');
			await w.saved('b.txt', '1\n');
			await page.context().close();
		} finally {
			review.kill();
		}
	});
}
