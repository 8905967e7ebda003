import assert from 'node:assert/strict';
import { before, beside, rename } from './job';
import { Workbench } from './workbench';
import type { World } from './world';

/** Decides in the comparison of a whole plan: with lenses, then with the keyboard on to the comparison of the next file. */
export async function comparing(world: World): Promise<void> {
	const dir = world.workspace('comparing', { 'a.go': before, 'b.go': beside });
	await Workbench.run(world, 'comparing', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/3 changes wait/);
		const whole = w.page.locator('.tab', { hasText: 'Redline: plan 1' });
		const lens = (title: string) => w.page.locator(`.multiDiffEditor .modified-in-monaco-diff-editor .codelens-decoration a[title="${title}"]:visible`);
		await lens('Approve change 1 of 3').click();
		await w.shows(/2 changes wait/);
		await lens('Reject change 2 of 3').click();
		await w.shows(/1 change waits/);
		await whole.and(w.page.locator('.active')).waitFor();
		assert.deepEqual(await w.page.locator('.notification-toast').allInnerTexts(), []);
		await w.screenshot('comparing-whole');

		// *Open File* opens the proposed text. Its name says so, and Quick Open offers the file itself first.
		await w.page.locator('.multiDiffEditor .header').first().hover();
		await w.page.locator('.multiDiffEditor [aria-label^="Open File"]').first().click();
		await w.page.locator('.tab.active', { hasText: 'a.go (proposed)' }).waitFor();
		await w.screenshot('comparing-opened');
		await w.command('View: Keep Editor');
		await w.openFile('a.go');
		await w.page.locator('.tab.active').filter({ has: w.page.getByText('a.go', { exact: true }) }).waitFor();
		await w.screenshot('comparing-file');
		await w.command('Redline: Review Plan');
		await whole.and(w.page.locator('.active')).waitFor();
		await w.command('View: Focus Active Editor Group');

		await w.press('Alt+F7');
		await w.page.locator('.tab.active', { hasText: 'b.go (plan 1)' }).waitFor();
		await w.at(3);
		assert.equal(await whole.count(), 1, 'the comparison of the whole plan is kept');
		await w.decideInComparison('Control+Enter');
		await w.shows(/no changes wait/);
		await w.page.locator('.statusbar-item', { hasText: 'plan 1 has no more changes to decide' }).first().waitFor();
		await w.page.locator('.tab', { hasText: /plan 1|proposed/ }).first().waitFor({ state: 'detached' }); // what shows a decided plan closes
		assert.deepEqual(await w.page.locator('.notification-toast').allInnerTexts(), []);
	});
}
