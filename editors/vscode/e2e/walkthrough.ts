import assert from 'node:assert/strict';
import { before, rename } from './job';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const steps = { server: 'Start the server', model: 'Set up a model', ask: 'Ask for a change', review: 'Review the changes', decide: 'Approve, reject, undo' };

/** The walkthrough ticks each step once it was done, and its pictures are there. */
export async function walkthrough(world: World): Promise<void> {
	const dir = world.workspace('walkthrough', { 'a.go': before });
	await Workbench.run(world, 'walkthrough', dir, async (w) => {
		await w.ready();
		const open = async () => {
			await w.command('Welcome: Open Walkthrough...');
			const box = w.page.locator('.quick-input-widget input[type="text"]').first();
			const row = w.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Get Started with Redline' }).first();
			await until('the walkthrough is in front', async () => {
				if (await row.isVisible()) { // else the key that ran the command has chosen it already
					await box.fill('Get Started with Redline');
					await w.page.locator('.quick-input-widget .monaco-list-row.focused', { hasText: 'Get Started with Redline' }).first().waitFor();
					await box.press('Enter');
				}
				return await w.page.locator('.tab.active', { hasText: 'Walkthrough: Redline' }).isVisible() && !(await row.isVisible());
			});
			await w.page.locator('.gettingStartedContainer').getByText('Approve, reject, undo').first().waitFor();
		};
		const isTicked = async (name: string) => (await w.page.locator('.gettingStartedContainer').getByRole('checkbox', { name }).first().getAttribute('aria-checked')) === 'true';
		const ticked = async () => {
			const all = await Promise.all(Object.entries(steps).map(async ([id, name]) => ((await isTicked(name)) ? [id] : [])));
			return all.flat();
		};
		await open();
		await until('the server runs', () => isTicked(steps.server));
		assert.deepEqual(await ticked(), ['server'], 'nothing else was done');
		await w.command('View: Close All Editors');
		await w.ask(rename);
		await w.shows(/2 changes wait/);
		await w.page.locator('.editor-instance .modified-in-monaco-diff-editor').getByText('salute').first().waitFor();
		await open();
		await until('the review was done', () => isTicked(steps.review));
		assert.deepEqual(await ticked(), ['server', 'ask', 'review'], 'nothing was decided yet');
		await w.page.locator('.gettingStartedContainer').getByRole('checkbox', { name: steps.decide }).first().focus();
		await w.screenshot('walkthrough-review');
		await w.command('Redline: Approve Plan');
		await w.shows(/no changes wait/);
		await open();
		await until('the decision was made', () => isTicked(steps.decide));
		assert.deepEqual(await ticked(), ['server', 'ask', 'review', 'decide'], 'the built-in model is not a model that was set up');
		await w.page.locator('.gettingStartedContainer').getByRole('button', { name: steps.review }).first().press('Enter');
		await until('its picture is shown', async () => (await Promise.all(w.page.frames().map((frame) => frame.evaluate(() => [...document.images].some((image) => /review\.png/.test(image.src) && image.naturalWidth > 0)).catch(() => false)))).includes(true));
		await w.still();
		await w.screenshot('walkthrough-decide');
	});
}
