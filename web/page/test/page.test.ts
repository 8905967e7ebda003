import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { quit, review, skip, visit } from './chromium';
import { answer, file, hostile, hunk, huge, moving, rich } from './plans';
import { shows } from './shows';
import type { Answer, Decision } from '../src/types';

after(quit);

const one = (page: Page, id: string) => page.locator(`.hunk[data-hunk="${id}"]`);
const is = (page: Page, id: string, choice: string) => page.locator(`.hunk[data-hunk="${id}"][data-choice="${choice}"]`).waitFor();
const text = (page: Page, what: string) => page.getByText(what).first().waitFor();

shows('the token leaves the address, and is sent in a header only', rich, async (mock) => {
	await using opened = await review(mock);
	const { page, requests } = opened;
	assert.equal(page.url(), mock.address);
	assert.equal(await page.evaluate(() => document.cookie), '');
	assert.ok(requests.every((url) => url.startsWith(mock.address) && !url.includes(mock.token)));
	await page.reload();
	await page.locator('h1').waitFor();
	assert.equal(await page.locator('h1').textContent(), 'Sum the items, not the total');
});

shows('without a token the page asks for the code', rich, async (mock) => {
	await using opened = await visit(mock.address);
	const { page } = opened;
	await page.getByLabel(/The code that/).fill('nonsense');
	await page.keyboard.press('Enter');
	await text(page, 'That is not the code.');
	await page.getByLabel(/The code that/).fill('abcd-efgh');
	await page.getByRole('button', { name: 'Open the plan' }).click();
	await page.getByRole('heading', { name: 'Sum the items, not the total' }).waitFor();
});

shows('by mouse: a file, a hunk and a command are decided, what will happen is shown, and it is sent once', rich, async (mock) => {
	await using opened = await review(mock);
	const { page, wrong } = opened;
	await page.getByRole('button', { name: 'Approve file shop/prices.go' }).click();
	await is(page, 'h3', 'approve');
	await page.getByRole('button', { name: /^Reject: line 30 of shop\/tax.go/ }).click();
	await is(page, 'h8', 'reject');
	await page.getByRole('button', { name: 'Reject file notes/new-name.md' }).click();
	await page.getByRole('button', { name: 'Run go test ./shop/... after the edits' }).click();
	await text(page, '3 approved, 2 rejected');
	assert.equal(mock.last('/api/decide'), undefined);
	await page.getByRole('button', { name: 'Finish…' }).click();
	await text(page, 'Runs go test ./shop/....');
	await page.getByLabel(/Why you reject/).fill('the name stays');
	await page.getByRole('button', { name: 'Send' }).click();
	await text(page, 'Applied 1 change in shop/prices.go.');
	const sent = mock.last('/api/decide') as Decision;
	assert.deepEqual(sent, { revision: 2, hash: rich().plan.hash, approve: { hunks: ['h1', 'h2', 'h3'], files: [] }, reject: { hunks: ['h8'], files: ['f6'] }, run: ['o7'], drop: [], reason: 'the name stays' });
	assert.equal(mock.asked.filter(({ path }) => path === '/api/decide').length, 1);
	assert.equal(await page.getByText('decided elsewhere').count(), 0);
	assert.deepEqual(wrong, []);
});

shows('by keys: go, approve, reject, take back, approve all, finish', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('j');
	await page.keyboard.press('a');
	await is(page, 'h1', 'approve');
	await page.keyboard.press('j');
	await page.keyboard.press('x');
	await is(page, 'h2', 'reject');
	await page.keyboard.press('u');
	await is(page, 'h2', '');
	await page.keyboard.press('k');
	await page.keyboard.press('a');
	await is(page, 'h1', '');
	await page.keyboard.press('n');
	await page.keyboard.press('a'); // a renamed file is decided as one
	await page.locator('.file[data-choice=approve][data-file=f2]').waitFor();
	await page.keyboard.press('Shift+A');
	await is(page, 'h8', 'approve');
	await is(page, 'h7', '');
	await page.keyboard.press('?');
	await page.getByRole('dialog', { name: 'Keys' }).waitFor();
	await page.keyboard.press('Escape');
	await page.keyboard.press('f');
	await page.getByRole('dialog', { name: 'What will happen' }).waitFor();
	await page.locator('button.main:focus', { hasText: 'Send' }).waitFor();
	await page.keyboard.press('Enter');
	await text(page, 'Applied 1 change');
	assert.deepEqual((mock.last('/api/decide') as Decision).approve, { hunks: ['h1', 'h2', 'h3', 'h5', 'h6', 'h8'], files: ['f2', 'f6'] });
});

shows('keys do nothing while somebody types, and can be turned off', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('j');
	await page.keyboard.press('c');
	await page.locator('textarea:focus').waitFor();
	await page.keyboard.type('a x A u');
	await page.keyboard.press('Escape');
	await page.locator('textarea').waitFor({ state: 'detached' });
	await page.keyboard.press('?');
	await page.getByLabel('Single keys act on the page').uncheck();
	await page.keyboard.press('Escape');
	await page.keyboard.press('a');
	await page.keyboard.press('?');
	await page.getByRole('dialog').waitFor();
	assert.equal(await page.locator('.hunk[data-choice=approve]').count(), 0);
});

shows('three comments, by key, by line number and by button, are sent with one wish for a rework', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	const write = async (words: string) => {
		await page.locator('textarea:focus').fill(words);
		await page.keyboard.press('Control+Enter');
		await page.locator('.comment', { hasText: words }).waitFor();
	};
	await page.keyboard.press('j');
	await page.keyboard.press('Shift+J');
	await page.keyboard.press('c');
	await write('why the total?');
	await one(page, 'h8').locator('tr.added .number').nth(1).click();
	await write('which items?');
	await page.getByRole('button', { name: 'Comment: lines 1–3 of scripts/check.sh' }).click();
	await write('use bash');
	assert.deepEqual(mock.asked.filter(({ path }) => path === '/api/comments').map(({ body }) => body), [
		{ revision: 2, path: 'f1', line: 12, side: 'old', text: 'why the total?' }, { revision: 2, path: 'f5', line: 30, side: 'new', text: 'which items?' }, { revision: 2, path: 'f3', line: 3, side: 'new', text: 'use bash' },
	]);
	await page.getByRole('button', { name: 'Delete the comment on line 30' }).click();
	await page.locator('.comment', { hasText: 'which items?' }).waitFor({ state: 'detached' });
	await page.keyboard.press('r');
	await page.getByRole('dialog', { name: 'Ask for a rework' }).locator('textarea').fill('and shorter');
	await page.getByRole('button', { name: 'Ask', exact: true }).click();
	await page.getByRole('dialog').waitFor({ state: 'detached' });
	assert.deepEqual(mock.last('/api/rework'), { revision: 2, hash: rich().plan.hash, text: 'and shorter' });
});

shows('proposed lines are edited in place', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('j');
	await page.keyboard.press('e');
	const area = page.locator('textarea:focus');
	await area.waitFor();
	assert.equal(await area.inputValue(), '	return sum(items)\n');
	await area.fill('	return sum(all)');
	await page.getByRole('button', { name: 'Save as a revision' }).click();
	await area.waitFor({ state: 'detached' });
	assert.deepEqual(mock.last('/api/edit'), { revision: 2, hash: rich().plan.hash, path: 'f1', hunk: 'h1', text: '	return sum(all)\n' });
});

shows('context unfolds between hunks, before the first and after the last', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	const first = page.locator('.file[data-file=f1]');
	await first.locator('.between').nth(0).getByRole('button', { name: 'Show 8 lines' }).click();
	await text(page, 'unfolded 8');
	await first.locator('.between').nth(1).getByRole('button').click();
	await text(page, 'unfolded 36');
	await first.locator('.between').nth(2).getByRole('button', { name: '↓ 20 lines' }).click();
	await text(page, 'unfolded 66');
	await first.locator('.between').nth(2).getByRole('button', { name: '↓ 20 lines' }).click();
	await text(page, 'unfolded 86');
	await first.locator('.between').nth(2).getByRole('button', { name: 'Show 34 lines' }).click();
	await text(page, 'unfolded 120');
	assert.equal(await first.locator('.between').nth(2).getByRole('button').count(), 0);
	const next = rich();
	next.view.files[0]!.lines = 46; // what is shown ends there
	mock.become(next);
	await page.waitForFunction(() => document.querySelectorAll('[data-file=f1] .between').length === 2);
	assert.equal(await page.locator('[data-file=f3] .between, [data-file=f4] .between').count(), 0, 'new and deleted files have no other lines');
});

shows('moved lines say where the other side is, and lead there', moving, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	for (const layout of ['unified', 'split']) {
		await one(page, 'h5').scrollIntoViewIfNeeded();
		assert.equal(await one(page, 'h5').locator(`.${layout} .moved`).count(), 2);
		await one(page, 'h5').getByRole('button', { name: '2 lines moved from shop/old.go, line 1' }).click();
		await page.locator('.hunk[data-hunk=h6]:focus').waitFor();
		await one(page, 'h6').getByRole('button', { name: '2 lines moved to scripts/check.sh, line 2' }).press('Enter');
		await page.locator('.hunk[data-hunk=h5]:focus').waitFor();
		await page.keyboard.press('v');
	}
});

shows('a plan that changes while it is looked at keeps the choices for what is the same', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	for (const id of ['h1', 'h2', 'h8']) {
		await one(page, id).getByRole('button', { name: /^Approve/ }).click();
	}
	const next = rich();
	next.plan.revision = 3;
	next.plan.hash = 'sha256:three';
	next.view.files[0]!.hunks[1] = hunk('h2', 40, 'different');
	next.view.files[4]!.hunks[1] = hunk('h8', 30, 'total', { status: 'applied' });
	mock.become(next);
	await text(page, '2 of your choices were about something else');
	await is(page, 'h1', 'approve');
	await is(page, 'h2', '');
	await one(page, 'h8').getByText('applied', { exact: true }).waitFor();
	assert.equal(await one(page, 'h8').getByRole('button', { name: /^Approve/ }).count(), 0);
});

shows('what somebody types stays, and is never a key of the page, while the plan changes', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('j');
	await page.keyboard.press('c');
	await page.locator('textarea:focus').waitFor();
	await page.keyboard.type('a');
	for (const [revision, moved] of [[3, 0], [4, 1]] as const) { // the file as it was, and then another one
		const next = rich();
		next.plan.revision = revision;
		next.plan.hash = `sha256:${revision}`;
		next.view.files[0]!.hunks[0]!.at! += moved;
		mock.become(next);
		await text(page, `revision ${revision}`);
		await page.keyboard.type('x A f');
		assert.equal(await page.locator('textarea:focus').count(), 1, `at revision ${revision}`);
	}
	assert.equal(await page.locator('textarea').inputValue(), 'ax A fx A f');
	assert.equal(await page.locator('[data-choice=approve], [data-choice=reject]').count(), 0);
	assert.equal(await page.getByRole('dialog').count(), 0);
});

shows('a decision that comes too late changes nothing and says so', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('Shift+A');
	await page.keyboard.press('f');
	await text(page, 'Applies 6 changes');
	mock.instead.set('/api/decide', [409, { error: 'Plan 3 has changed since it was shown here.' }]);
	await page.getByRole('button', { name: 'Send' }).click();
	await page.getByRole('alert').getByText('Plan 3 has changed since it was shown here.').waitFor();
	assert.ok(await page.getByRole('button', { name: 'Send' }).isDisabled());
});

shows('a decision after the review was ended in another tab changes nothing and says so', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('Shift+A');
	await page.keyboard.press('f');
	await text(page, 'Applies 6 changes');
	mock.instead.set('/api/decide', [410, { error: 'The review has ended before this came: nothing of it was done.\nmake is still running.' }]);
	await page.getByRole('button', { name: 'Send' }).click();
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	await text(page, 'nothing of it was done');
	await text(page, 'make is still running.');
	assert.equal(await page.getByRole('dialog').count(), 0);
	mock.send('ended', 'Nothing was decided.');
	await page.keyboard.press('f');
	await text(page, 'nothing of it was done');
});

shows('a policy that refuses approvals by the page leaves rejecting and comments', () => ({ ...rich(), canApprove: false, why: 'The policy of this project refuses approvals by web.' }), async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await text(page, 'refuses approvals by web');
	assert.ok(await one(page, 'h1').getByRole('button', { name: /^Approve/ }).isDisabled());
	await page.keyboard.press('Shift+A');
	assert.equal(await page.locator('.hunk[data-choice=approve]').count(), 0);
	await page.keyboard.press('j');
	await page.keyboard.press('a');
	assert.equal(await page.locator('[data-choice=approve]').count(), 0);
	assert.ok(await page.getByRole('button', { name: /^Run go test/ }).isDisabled());
	await page.getByRole('button', { name: /^Do not run go test/ }).click();
	await page.keyboard.press('x');
	await is(page, 'h1', 'reject');
	assert.equal(await page.locator('.hunk[data-choice=approve]').count(), 0);
});

shows('after a new code only one page listens to the keys', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	for (let i = 0; i < 2; i++) {
		mock.instead.set('/api/seen', [401, { error: 'This page has no access to the plan.' }]);
		await page.keyboard.press('j');
		await page.keyboard.press('s');
		await page.getByLabel(/The code that/).fill('abcd-efgh');
		await page.keyboard.press('Enter');
		await page.locator('h1', { hasText: 'Sum the items' }).waitFor();
	}
	await page.keyboard.press('j');
	await page.keyboard.press('a'); // a second listener would take it back
	await is(page, 'h1', 'approve');
	await page.keyboard.press('f');
	await page.getByRole('dialog').waitFor();
	assert.equal(await page.getByRole('dialog').count(), 1);
	assert.equal(mock.listening, 1);
});

shows('states of the plan, the editor and the end are shown as they come', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	const state = (name: string): Answer => ({ ...rich(), plan: { ...rich().plan, state: name } });
	mock.become({ ...state('executing'), editor: { open: true, name: 'Neovim' }, decision: { since: '', by: 'Neovim' } });
	await text(page, 'Neovim is applying your decision.');
	await text(page, 'The plan is being carried out.');
	mock.become(state('drafting'));
	await text(page, 'A new revision is being made.');
	await page.getByText('Neovim is applying').waitFor({ state: 'detached' });
	mock.become({ ...state('completed'), plan: { ...state('completed').plan, undoable: true } });
	await page.getByRole('button', { name: 'Undo…' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
	await text(page, 'Undone.');
	mock.send('ended', 'Plan 3 is completed.\n3 files changed.');
	await page.getByRole('heading', { name: 'The review has ended' }).waitFor();
	await text(page, '3 files changed.');
});

shows('a server that goes away is said, and choices outlive a reload', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await one(page, 'h2').getByRole('button', { name: /^Reject/ }).click();
	await page.reload();
	await is(page, 'h2', 'reject');
	await mock.stop();
	await text(page, 'Redline does not answer.');
	await is(page, 'h2', 'reject');
});

shows('nothing becomes markup', hostile, async (mock) => {
	await using opened = await review(mock);
	const { page, wrong, requests } = opened;
	await page.keyboard.press('Shift+A');
	await page.locator('details').evaluateAll((all) => all.forEach((details) => ((details as HTMLDetailsElement).open = true)));
	await page.locator('.comment').first().waitFor();
	await page.keyboard.press('f');
	await page.getByRole('dialog').waitFor();
	assert.equal(await page.evaluate(() => (window as { pwned?: number }).pwned), undefined);
	assert.equal(await page.locator('img, b, body script:not([src="/page.js"]), a[href^="javascript:"]').count(), 0);
	assert.ok((await page.locator('.unseen').allTextContents()).includes('U+202E'));
	assert.doesNotMatch(await page.locator('body').innerText(), /[\u202e\u200b]/);
	assert.deepEqual(requests.filter((url) => !url.startsWith(mock.address) && !url.startsWith('data:')), []);
	assert.deepEqual(wrong, []);
});

shows('40 files with 2,000 hunks open at once, and a decision is drawn at once', () => huge(), async (mock) => {
	await using opened = await visit('about:blank');
	const { page } = opened;
	// The time that the processor works for scripts, styles and layout: others may use the machine too.
	const cdp = await page.context().newCDPSession(page);
	await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
	const worked = async (): Promise<number> => {
		const { metrics } = await cdp.send('Performance.getMetrics');
		return 1000 * metrics.filter(({ name }) => /^(Script|Layout|RecalcStyle)Duration$/.test(name)).reduce((sum, { value }) => sum + value, 0);
	};
	const start = Date.now(), before = await worked();
	await page.goto(mock.opened);
	await one(page, 'h0').locator('tr').first().waitFor();
	const opening = await worked() - before;
	const figures = [`open after ${Date.now() - start} ms, ${Math.round(opening)} ms of work`];
	assert.equal(await page.locator('.hunk').count(), 2000);
	assert.ok(opening < 1000, figures[0]);
	await page.waitForFunction(() => document.querySelectorAll('.hunk .rows').length === 2000, undefined, { timeout: 110_000 });
	figures.push(`every line drawn after ${Date.now() - start} ms`);
	const times: number[] = [], waited: number[] = [];
	for (let i = 100; i < 2000; i += 400) {
		await page.evaluate((n) => {
			document.querySelectorAll('.hunk')[n]?.scrollIntoView();
			return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
		}, i);
		const idle = await worked();
		waited.push(await page.evaluate(async (n) => {
			const from = performance.now();
			document.querySelectorAll('.hunk')[n]?.querySelector<HTMLElement>('[data-action=approve]')?.click();
			await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
			return performance.now() - from;
		}, i));
		times.push(await worked() - idle);
		await is(page, `h${i}`, 'approve');
	}
	const middle = (all: number[]): number => Math.round(all.sort((a, b) => a - b)[all.length >> 1]!);
	figures.push(`a decision is drawn after ${middle(waited)} ms, ${middle(times)} ms of work`);
	console.log(figures.join('; '));
	assert.ok(middle(times) < 50, figures.at(-1));
});

shows('empty plans say what they are', () => answer([], { textOnly: true, predicted: ['a.go'] }), async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await text(page, 'This plan is in words.');
	await page.keyboard.press('Shift+A');
	await page.keyboard.press('f');
	await page.getByRole('dialog').locator('.sentences').waitFor();
	assert.equal((mock.last('/api/preview-decision') as Decision).approve.plan, true);
	await page.keyboard.press('Escape');
	mock.become(answer([], { commands: [{ id: 'o1', command: 'make', status: 'pending' }] }));
	await text(page, 'It has only the commands above.');
	mock.become(answer([]));
	await text(page, 'This plan changes nothing.');
});

shows('a large file is drawn when somebody asks', () => answer([file('f1', 'big.txt', [], { large: true, added: 90_000 })]), async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('Shift+A');
	await text(page, 'only what you can see can be approved');
	assert.ok(await page.getByRole('button', { name: 'Finish…' }).isDisabled());
	mock.instead.set('/api/file', [200, file('f1', 'big.txt', [hunk('h1', 5)])]);
	await page.getByRole('button', { name: 'Show them' }).click();
	await one(page, 'h1').getByRole('button', { name: /^Approve/ }).click();
	await is(page, 'h1', 'approve');
	const next = answer([file('f1', 'big.txt', [], { large: true, added: 90_000 })]);
	next.plan.goal = 'another goal';
	mock.instead.set('/api/file', [200, file('f1', 'big.txt', [hunk('h1', 5)])]);
	mock.become(next);
	await text(page, 'another goal');
	await one(page, 'h1').waitFor();
	await is(page, 'h1', 'approve');
});

shows('keys decide nothing in a file that is folded', rich, async (mock) => {
	await using opened = await review(mock);
	const { page } = opened;
	await page.keyboard.press('j');
	await page.keyboard.press('s');
	await page.keyboard.press('a');
	await text(page, 'This file is folded: open it first.');
	assert.equal(await page.locator('[data-choice=approve]').count(), 0);
});

test('one file shows the plan without a server, and makes no request', { skip, timeout: 120_000 }, async () => {
	const data = JSON.stringify({ ...rich(), static: true }).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
	const [script, style] = [readFileSync('dist/page.js', 'utf8'), readFileSync('dist/page.css', 'utf8')];
	assert.doesNotMatch(script, /<\/script/i);
	assert.doesNotMatch(style, /<\/style/i);
	const made = readFileSync('dist/index.html', 'utf8')
		.replace('<script src="/page.js" defer></script>', () => `<script type="application/json" id="redline-data">${data}</script><script>${script}</script>`)
		.replace('<link rel="stylesheet" href="/page.css">', () => `<style>${style}</style>`)
		.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">`);
	const folder = mkdtempSync(join(tmpdir(), 'redline-page-'));
	try {
		writeFileSync(join(folder, 'plan.html'), made);
		await using opened = await visit(pathToFileURL(join(folder, 'plan.html')).href);
		const { page, wrong, requests } = opened;
		await text(page, 'Read only: plan 3 of shop.');
		await one(page, 'h1').locator('tr.added').waitFor();
		await page.keyboard.press('j');
		await page.keyboard.press('a');
		assert.equal(await page.locator('.choice, .gap, [data-action=finish]').count(), 0);
		assert.deepEqual(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')), []);
		assert.deepEqual(wrong, []);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
