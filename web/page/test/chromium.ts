// A real Chromium for the tests: Debian's, or the one that REDLINE_CHROMIUM names.
import { accessSync, constants } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import type { Mock } from './server';

const places = [process.env.REDLINE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** Where Chromium is, or why a test is skipped. */
export const program = places.find((place) => {
	try {
		accessSync(place ?? '', constants.X_OK);
		return true;
	} catch {
		return false;
	}
});
export const skip = program === undefined ? 'there is no Chromium: install it, or name it with REDLINE_CHROMIUM' : false;

let browser: Promise<Browser> | undefined;

export function launch(): Promise<Browser> {
	browser ??= chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox', '--disable-gpu'] });
	return browser;
}

export async function quit(): Promise<void> {
	await (await browser)?.close();
	browser = undefined;
}

/** A page with what went wrong on it: errors, and violations of its policy. */
export interface Opened { page: Page; wrong: string[]; requests: string[]; [Symbol.asyncDispose]: () => Promise<void> }

/** Opens an address in a context of its own. */
export async function visit(address: string, options: BrowserContextOptions = {}): Promise<Opened> {
	const context = await (await launch()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
	const page = await context.newPage();
	const wrong: string[] = [], requests: string[] = [];
	page.on('pageerror', (error) => wrong.push(error.message));
	page.on('console', (message) => {
		if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
			wrong.push(message.text());
		}
	});
	page.on('request', (request) => requests.push(request.url()));
	await page.goto(address);
	return { page, wrong, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** Opens the plan of a server. */
export async function review(mock: Mock, options: BrowserContextOptions = {}): Promise<Opened> {
	const opened = await visit(mock.opened, options);
	await opened.page.locator('h1').waitFor();
	return opened;
}
