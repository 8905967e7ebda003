// What axe says about the page: whether people can use it who see little, or hear it, or use only keys.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { quit, review, visit } from './chromium';
import { moving, rich } from './plans';
import { shows } from './shows';

after(quit);

const one = (page: Page, id: string) => page.locator(`.hunk[data-hunk="${id}"]`);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding { id: string; nodes: { html: string; failureSummary?: string }[] }

/** What axe finds on a page, or in a part of it, and which notes on moved lines it cannot judge. It is run outside of the page's policy. */
async function findings(page: Page, within = 'html'): Promise<string[]> {
	await page.evaluate(axe);
	return page.evaluate(async (part) => {
		const { axe } = window as unknown as { axe: { run(part: string, options: object): Promise<{ violations: Finding[]; incomplete: Finding[] }> } };
		const { violations, incomplete } = await axe.run(part, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
		const unjudged = incomplete.map(({ id, nodes }) => ({ id, nodes: nodes.filter(({ html }) => html.includes('lines moved')) }));
		return [...violations, ...unjudged].flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`));
	}, within);
}

for (const [theme, options] of Object.entries({
	light: { colorScheme: 'light' }, dark: { colorScheme: 'dark' }, 'more contrast': { contrast: 'more' }, 'more contrast, dark': { contrast: 'more', colorScheme: 'dark' }, 'forced colours': { forcedColors: 'active', colorScheme: 'dark' },
} as const)) {
	shows(`axe finds nothing: ${theme}`, () => ({ ...moving(), plan: { ...rich().plan, comments: [{ id: 'c1', path: 'shop/prices.go', line: 12, side: 'new', text: 'why?' }], undoable: true } }), async (mock) => {
		for (const width of [360, 1600]) {
			await using opened = await review(mock, { ...options, viewport: { width, height: 900 }, bypassCSP: true });
			const { page } = opened;
			await one(page, 'h1').getByRole('button', { name: /^Approve/ }).click();
			await one(page, 'h2').getByRole('button', { name: /^Reject/ }).click();
			await page.locator('details').evaluateAll((all) => all.forEach((details) => ((details as HTMLDetailsElement).open = true)));
			if (width > 1000) {
				await page.keyboard.press('v');
				await page.locator('.split').first().waitFor();
			}
			await page.addStyleTag({ content: '.hunk { content-visibility: visible !important; }' }); // axe sees only what is drawn
			await one(page, 'h5').getByRole('button', { name: /lines moved from/ }).click(); // which unfolds the other side
			await one(page, 'h6').getByRole('button', { name: /lines moved to/ }).waitFor();
			assert.deepEqual(await findings(page), []);
			assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it needs no sideways scrolling');
			await page.keyboard.press('f');
			await page.locator('dialog .sentences').waitFor();
			assert.deepEqual(await findings(page, 'dialog'), []);
		}
	});
}

shows('axe finds nothing on the page for the code', rich, async (mock) => {
	await using opened = await visit(mock.address, { bypassCSP: true });
	await opened.page.locator('#code').waitFor();
	assert.deepEqual(await findings(opened.page), []);
});
