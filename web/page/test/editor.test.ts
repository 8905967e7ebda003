// The page beside a real Neovim that has the workspace open.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { quit, skip, visit } from './chromium';
import { noNeovim } from './neovim';
import { noGo, removeProgram, Workspace } from './redline';

after(async () => {
	await quit();
	removeProgram();
});

/** Waits until the page shows that a hunk has a state. */
const shows = (page: Page, path: string, state: string): Promise<void> =>
	page.locator('.file', { has: page.getByRole('heading', { name: path }) }).locator('.state', { hasText: state }).first().waitFor();

test('what the page decides goes into the buffer of Neovim, and what Neovim decides appears on the page', { skip: skip || noGo || noNeovim, timeout: 300_000 }, async () => {
	const files = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\none more\n', 'b.txt': 'one\n' };
	const work = new Workspace(files);
	try {
		await work.run('run', 'replace "one" with "1"');
		const { address, code, ended } = await work.review();
		await using opened = await visit(address);
		const { page, wrong } = opened;
		await page.locator('#code').fill(code);
		await page.keyboard.press('Enter');
		await page.locator('.hunk tr').first().waitFor();
		const neovim = work.neovim('a.txt');
		await page.getByText('Neovim has this workspace open').waitFor();
		await neovim.keys('4Gotyped<Esc>'); // unsaved
		await neovim.until('a line was typed', async () => (await neovim.text()).includes('four|typed|five'));

		await page.keyboard.press('j');
		await page.keyboard.press('a');
		await page.keyboard.press('f');
		await page.getByRole('dialog').getByText('Changes a.txt: 1 of 2 changes.').waitFor();
		await page.locator('button.main:focus', { hasText: 'Send' }).click();
		await neovim.until('the change is in its buffer', async () => await neovim.text() === '1|two|three|four|typed|five|six|one more');
		assert.equal(work.read('a.txt'), files['a.txt'], 'saving is left to the user');
		await shows(page, 'a.txt', 'applied');

		await neovim.keys('gg]r');
		await neovim.until('the cursor is on the other change', async () => await neovim.lua("vim.fn.line('.')") === '8');
		await neovim.keys(' ra');
		await neovim.until('the other change is in its buffer', async () => (await neovim.text()).endsWith('six|1 more'));
		await page.locator('.file', { hasText: 'a.txt' }).locator('.hunk .state', { hasText: 'applied' }).nth(1).waitFor();

		await page.keyboard.press('Shift+A');
		await page.keyboard.press('f');
		await page.getByRole('dialog').getByText('Changes b.txt: 1 change.').waitFor();
		await page.locator('button.main:focus', { hasText: 'Send' }).click();
		await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
		const { status, output } = await ended;
		assert.equal(status, 0, output);
		assert.equal(await neovim.text(), '1|two|three|four|typed|five|six|1 more');
		assert.equal(work.read('a.txt'), files['a.txt']);
		assert.deepEqual(wrong, []);
	} finally {
		await work.remove();
	}
});

test('while the server of Neovim is stopped the plan waits; once Neovim has ended the disk is changed', { skip: skip || noGo || noNeovim || (process.platform !== 'linux' && 'only Linux tells which process is the server'), timeout: 300_000 }, async () => {
	const work = new Workspace({ 'a.txt': 'one\n' });
	try {
		await work.run('run', 'replace "one" with "1"');
		const { address, code, ended } = await work.review();
		await using opened = await visit(address);
		const { page } = opened;
		await page.locator('#code').fill(code);
		await page.keyboard.press('Enter');
		await page.locator('.hunk tr').first().waitFor();
		const neovim = work.neovim('a.txt');
		await page.getByText('Neovim has this workspace open').waitFor();
		neovim.signal('SIGSTOP');
		await page.keyboard.press('Shift+A');
		await page.keyboard.press('f');
		const dialog = page.getByRole('dialog'), send = dialog.getByRole('button', { name: 'Send' });
		await send.click();
		await dialog.getByText('Neovim is asked to apply it').waitFor();
		await dialog.getByText('Neovim did not answer: nothing is changed, and the plan waits.').waitFor();
		if (process.env.REDLINE_SHOTS !== undefined) {
			await page.screenshot({ path: `${process.env.REDLINE_SHOTS}/did-not-answer.png` });
		}
		assert.equal(work.read('a.txt'), 'one\n');
		neovim.signal('SIGCONT');
		assert.equal(await neovim.text(), 'one');
		await neovim.quit();
		await page.getByText('Neovim has this workspace open').waitFor({ state: 'detached' });
		await send.click();
		await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
		assert.equal((await ended).status, 0);
		assert.equal(work.read('a.txt'), '1\n');
	} finally {
		await work.remove();
	}
});
