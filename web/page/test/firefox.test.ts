// The page in Firefox, with the real program, by mouse and by keys.
import assert from 'node:assert/strict';
import { accessSync, constants } from 'node:fs';
import { after, test } from 'node:test';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { noGo, removeProgram, Workspace } from './redline';

/** Where Firefox is: Debian's, or the one that REDLINE_FIREFOX names. */
const firefox = [process.env.REDLINE_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'].find((place) => {
	try {
		accessSync(place ?? '', constants.X_OK);
		return true;
	} catch {
		return false;
	}
});
const skip = firefox === undefined ? 'there is no Firefox: install it, or name it with REDLINE_FIREFOX' : noGo;

const files = { 'a.txt': 'one\ntwo\nthree\nfour\n', 'b.txt': 'one more\n', 'c.txt': 'not one\n' };

let browser: Promise<Browser> | undefined;

after(async () => {
	await (await browser)?.close();
	removeProgram();
});

/** A page in Firefox, with what went wrong on it. */
class Tab {
	readonly wrong: string[] = [];
	private constructor(readonly page: Page) {
		page.on('pageerror', (error) => this.wrong.push(String(error)));
		page.setDefaultTimeout(60_000);
	}

	/** Opens a review with its code. */
	static async open({ address, code }: { address: string; code: string }): Promise<Tab> {
		browser ??= puppeteer.launch({ browser: 'firefox', executablePath: firefox ?? '', headless: true, timeout: 120_000 });
		const tab = new Tab(await (await browser).newPage());
		await tab.page.setViewport({ width: 1280, height: 900 });
		await tab.page.goto(address);
		await tab.page.locator('#code').fill(code);
		await tab.press('Enter');
		await tab.sees('.hunk tr');
		return tab;
	}

	/** Waits until an element has a text. */
	async sees(selector: string, text = ''): Promise<void> {
		await this.page.waitForFunction((css, words) => [...document.querySelectorAll(css)].some((one) => one.textContent.includes(words)), {}, selector, text);
	}

	/** Clicks a button by its name. */
	async click(name: string): Promise<void> {
		await this.page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
	}

	async press(...keys: ('Enter' | 'j' | 'a' | 'x' | 'c' | 'r' | 'e' | 'f' | 'A')[]): Promise<void> {
		for (const key of keys) {
			await this.page.keyboard.press(key);
		}
	}

	/** Writes into the field that has the focus, and sends it. */
	async write(text: string): Promise<void> {
		await this.page.waitForSelector('textarea:focus');
		await this.page.locator('textarea:focus').fill(text);
		await this.page.keyboard.down('Control');
		await this.press('Enter');
		await this.page.keyboard.up('Control');
		await this.page.waitForSelector('textarea', { hidden: true });
	}

	/** Looks at what will happen, and sends it. */
	async finish(sentence: string): Promise<void> {
		await this.press('f');
		await this.sees('.sentences', sentence);
		await this.page.waitForSelector('button.main:focus');
		await this.press('Enter');
	}
}

function reviews(name: string, act: (work: Workspace) => Promise<void>): void {
	test(`Firefox: ${name}`, { skip, timeout: 300_000 }, async () => {
		const work = new Workspace(files);
		try {
			await act(work);
		} finally {
			await work.remove();
		}
	});
}

reviews('by mouse one file is approved and one rejected, then the rest is approved and a command runs', async (work) => {
	await work.run('run', 'replace "one" with "1" then run touch made');
	const review = await work.review();
	const tab = await Tab.open(review);
	await tab.click('Approve file a.txt');
	await tab.click('Reject file b.txt');
	await tab.click('Finish…');
	await tab.sees('.sentences', 'a.txt');
	assert.equal(work.read('a.txt'), files['a.txt'], 'nothing happens before it is sent');
	await tab.click('Send');
	await tab.sees('.file .state', 'applied');
	assert.equal(work.read('a.txt'), '1\ntwo\nthree\nfour\n');
	assert.equal(work.read('c.txt'), files['c.txt']);
	await tab.click('Approve all');
	await tab.click('Run touch made after the edits');
	await tab.finish('touch made');
	await tab.sees('h1', 'The review has ended');
	const { status, output } = await review.ended;
	assert.equal(status, 0, output);
	assert.deepEqual([work.read('b.txt'), work.read('c.txt'), work.read('made')], [files['b.txt'], 'not 1\n', '']);
	assert.deepEqual(tab.wrong, []);
});

reviews('by keys a line is commented, reworked and edited, and what is approved is what was seen last', async (work) => {
	await work.run('run', 'replace "two" with "2"');
	const review = await work.review();
	const tab = await Tab.open(review);
	await tab.press('j', 'c');
	await tab.write('replace "three" with "3"');
	await tab.sees('.comment', 'replace "three"');
	await tab.press('r');
	await tab.write('replace "four" with "4"');
	await tab.sees('tr.added', '4');
	await tab.sees('tr.added', '3');
	await tab.press('j', 'e');
	await tab.write('zwei\n');
	await tab.sees('tr.added', 'zwei');
	await tab.press('A');
	await tab.finish('a.txt');
	await tab.sees('h1', 'The review has ended');
	assert.equal((await review.ended).status, 0);
	assert.match(work.read('a.txt'), /zwei/);
	assert.deepEqual(tab.wrong, []);
});
