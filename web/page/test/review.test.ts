// The page with the real program: `redline review` of plans that the built-in model makes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { quit, skip, visit, type Opened } from './chromium';
import { noGo, removeProgram, Workspace } from './redline';

after(async () => {
	await quit();
	removeProgram();
});

const files = { 'a.txt': 'one\ntwo\nthree\nfour\n', 'b.txt': 'one more\n', 'c.txt': 'not one\n' };

/** Runs a test in a workspace. */
function reviews(name: string, act: (work: Workspace) => Promise<void>): void {
	test(name, { skip: skip || noGo, timeout: 300_000 }, async () => {
		const work = new Workspace(files);
		try {
			await act(work);
		} finally {
			await work.remove();
		}
	});
}

/** Opens a review with its code. */
async function enter({ address, code }: { address: string; code: string }): Promise<Opened> {
	const opened = await visit(address);
	await opened.page.locator('#code').fill(code.toLowerCase());
	await opened.page.keyboard.press('Enter');
	await opened.page.locator('.hunk tr').first().waitFor();
	return opened;
}

async function send(page: Page, sentence: RegExp): Promise<void> {
	await page.keyboard.press('f');
	await page.getByRole('dialog').locator('.sentences').getByText(sentence).first().waitFor();
	await page.locator('button.main:focus', { hasText: 'Send' }).click();
	await page.getByRole('dialog').waitFor({ state: 'hidden' }); // keys are off until the answer is there
}

reviews('one file is approved and one rejected; then the rest is approved, and a command runs', async (work) => {
	await work.run('run', 'replace "one" with "1" then run touch made');
	const review = await work.review();
	await using opened = await enter(review);
	const { page, wrong } = opened;
	assert.equal(await page.locator('.file').count(), 3);
	await page.getByRole('button', { name: 'Approve file a.txt' }).click();
	await page.getByRole('button', { name: 'Reject file b.txt' }).click();
	assert.equal(work.read('a.txt'), files['a.txt'], 'nothing happens before it is sent');
	await send(page, /a\.txt/);
	await page.locator('.file[data-file] .state', { hasText: 'applied' }).waitFor();
	assert.equal(work.read('a.txt'), '1\ntwo\nthree\nfour\n');
	assert.equal(work.read('b.txt'), files['b.txt']);
	assert.equal(work.read('c.txt'), files['c.txt']);
	await page.keyboard.press('Shift+A');
	await page.getByRole('button', { name: /^Run touch made/ }).click();
	await send(page, /touch made/);
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	const { status, output } = await review.ended;
	assert.equal(status, 0, output);
	assert.equal(work.read('c.txt'), 'not 1\n');
	assert.equal(work.read('made'), '');
	assert.deepEqual(wrong, []);
});

reviews('a plan is rejected by keys, with a reason', async (work) => {
	await work.run('run', 'replace "one" with "1"');
	const review = await work.review();
	await using opened = await enter(review);
	const { page } = opened;
	for (const key of ['j', 'x', 'j', 'x', 'j', 'x', 'f']) {
		await page.keyboard.press(key);
	}
	await page.getByLabel(/Why you reject/).fill('figures are hard to read');
	await page.getByRole('button', { name: 'Send' }).click();
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	await review.ended;
	assert.equal(work.read('a.txt'), files['a.txt']);
	assert.match(await work.run('plans', 'show', '1'), /cancelled/);
});

reviews('a file that changes while the plan is looked at makes its change stale', async (work) => {
	await work.run('run', 'replace "one" with "1"');
	await using opened = await enter(await work.review());
	const { page } = opened;
	await page.keyboard.press('Shift+A');
	work.write('a.txt', 'ONE\ntwo\nthree\nfour\n');
	await page.locator('.hunk[data-stale]').waitFor();
	assert.equal(await page.locator('.hunk[data-choice=approve]').count(), 2);
	await send(page, /b\.txt/);
	await page.locator('.state', { hasText: 'applied' }).first().waitFor();
	assert.equal(work.read('a.txt'), 'ONE\ntwo\nthree\nfour\n');
	assert.equal(work.read('b.txt'), '1 more\n');
});

reviews('a proposed line is edited on the page, and what is applied is the edited one', async (work) => {
	await work.run('run', 'replace "two" with "2"');
	await using opened = await enter(await work.review());
	const { page } = opened;
	await page.keyboard.press('j');
	await page.keyboard.press('e');
	await page.locator('textarea:focus').fill('zwei\n');
	await page.keyboard.press('Control+Enter');
	await page.locator('tr.added', { hasText: 'zwei' }).waitFor();
	await page.keyboard.press('Shift+A');
	await send(page, /a\.txt/);
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	assert.equal(work.read('a.txt'), 'one\nzwei\nthree\nfour\n');
});

reviews('a rework takes three comments; one that makes no revision says why', async (work) => {
	await work.run('run', 'replace "two" with "2"');
	await using opened = await enter(await work.review());
	const { page } = opened;
	const rework = async (words: string) => {
		await page.keyboard.press('r');
		await page.getByRole('dialog').locator('textarea').fill(words);
		await page.getByRole('dialog').getByRole('button', { name: 'Ask' }).click();
		await page.getByRole('dialog').waitFor({ state: 'detached' });
	};
	for (const [line, text] of [['one', 'replace "one" with "1"'], ['three', 'replace "three" with "3"'], ['four', 'replace "four" with "4"']] as const) {
		await page.locator('tr.same', { hasText: line }).locator('.number').nth(1).click();
		await page.locator('textarea:focus').fill(text);
		await page.keyboard.press('Control+Enter');
		await page.locator('.comment', { hasText: text }).waitFor();
	}
	await rework('');
	await page.locator('tr.added', { hasText: '4' }).waitFor();
	await rework('make it nicer');
	await page.locator('[data-notice=reply]', { hasText: 'The rework has changed nothing. The model says:' }).waitFor();
	assert.equal(work.read('a.txt'), files['a.txt']);
	await page.keyboard.press('Shift+A');
	await send(page, /a\.txt/);
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	assert.equal(work.read('a.txt'), '1\n2\n3\n4\n');
});

reviews('a review that is ended decides nothing', async (work) => {
	await work.run('run', 'replace "two" with "2"');
	const review = await work.review();
	await using opened = await enter(review);
	const { page } = opened;
	await page.keyboard.press('Shift+A');
	await page.getByRole('button', { name: 'End review' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'End review' }).click();
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	await review.ended;
	assert.equal(work.read('a.txt'), files['a.txt']);
	assert.match(await work.run('plans', 'show', '1'), /awaiting approval/);
});

reviews('a review that is ended while a command runs says so in each tab, waits for the command, and decides nothing else', async (work) => {
	work.write('wait.sh', 'until test -e go; do sleep 0.05; done\n');
	await work.run('run', 'replace "two" with "2" then run sh wait.sh');
	const review = await work.review();
	await using opened = await enter(review);
	const { page } = opened;
	await page.keyboard.press('Shift+A');
	await page.getByRole('button', { name: /^Run sh wait.sh/ }).click();
	await send(page, /sh wait.sh/);
	await page.getByText('running', { exact: true }).first().waitFor();
	await using other = await enter(review);
	await page.getByRole('button', { name: 'End review' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'End review' }).click();
	await page.getByText('1 change is applied.').waitFor();
	await page.getByText('sh wait.sh is still running.').waitFor();
	await other.page.getByText('sh wait.sh is still running.').waitFor();
	const [status410, why] = await other.page.evaluate(async () => {
		const answer = await fetch('/api/undo', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json', Authorization: `Redline ${sessionStorage.getItem('redline.token') ?? ''}` } });
		return [answer.status, await answer.text()] as const;
	});
	assert.equal(status410, 410, why);
	work.write('go', '');
	const { status, output } = await review.ended;
	assert.equal(status, 0, output);
	assert.match(output, /Plan 1 is completed/);
});
