import assert from 'node:assert/strict';
import { drawn } from './eightsteps';
import { before } from './job';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** A slow turn shows its work: a retry, silence with its seconds, each step, what is staged; and what was said stays. */
export async function work(world: World): Promise<void> {
	let asked = 0;
	const gates = [0, 1, 2].map(() => {
		let open = (): void => undefined;
		const opened = new Promise<void>((resolve) => (open = resolve));
		return { open, opened };
	});
	const [silence, idea, rest] = gates as [typeof gates[0] & object, typeof gates[0] & object, typeof gates[0] & object];
	const model = await Model.start((): Piece[] => {
		switch (++asked) {
			case 1:
				return [{ fail: 503 }];
			case 2:
				return [{ wait: silence.opened }, { think: 'It greets in a.go.\n' }, { think: 'Or is it elsewhere?' }, { wait: idea.opened }, { text: 'I look at the greeting first. ' }, { tool: 'read_file', arguments: { path: 'a.go' } }, { tool: 'search', arguments: { pattern: 'hello' } }];
			case 3:
				return [{ text: 'Now I change it. ' }, { tool: 'edit_file', arguments: { path: 'a.go', old_string: 'says hello', new_string: 'says good day' } }];
			case 4:
				return [{ wait: rest.opened }, { text: 'The greeting says good day.' }];
			default:
				return [{ text: 'That is all.' }];
		}
	});
	try {
		const dir = world.workspace('work', { 'a.go': before }, { model: model.url });
		await Workbench.run(world, 'work', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await w.type('change the greeting');
			await w.press('Enter');
			await w.chat.locator('.steps').getByText(/^retry 1: /).waitFor();
			await w.chat.locator('.doing').getByText(/Retry 1: waiting for the model · [2-9] s/).waitFor();
			await w.screenshot('work-silence');
			silence.open();

			// What the model thinks is folded, shows how it grows, and stays as the user unfolds it.
			await w.chat.locator('.doing').getByText(/The model is thinking · [1-9] s/).waitFor();
			const thought = w.chat.locator('details.thought');
			await thought.locator('summary', { hasText: 'Or is it elsewhere?' }).press('Enter');
			await thought.getByText('It greets in a.go.').waitFor();
			await w.looks('work-thinking');
			idea.open();
			await w.chat.locator('.steps').getByText(/^read a\.go/).waitFor();
			await thought.locator('summary', { hasText: /^Thought for \d+ s$/ }).waitFor();
			assert.equal(await thought.evaluate((e) => (e as HTMLDetailsElement).open), true, 'it was unfolded');
			await w.row(/change the greeting.*not ready yet/).waitFor();
			await w.row(/a\.go.*\+1 −1/).waitFor();
			// It is in the text too, and cannot be decided on.
			const row = w.page.locator('.codelens-decoration');
			await row.filter({ hasText: 'not ready yet: +1 −1' }).waitFor();
			await until('the new words are drawn', async () => (await drawn(w)).some((text) => text.includes('good day')));
			assert.equal(await row.filter({ hasText: 'Approve' }).count(), 0, 'no buttons');
			await w.still();
			await w.screenshot('work-staged');
			assert.equal(await w.page.locator('.statusbar-item', { hasText: /Redline: \d+ change/ }).count(), 0, 'nothing can be decided on yet');
			rest.open();
			await w.shows(/1 change waits/);
			await w.chat.getByText('The greeting says good day.').waitFor();
			for (const said of ['I look at the greeting first.', 'Now I change it.']) {
				assert.equal(await w.chat.getByText(said).count(), 1, `${said} stays`);
			}
			await w.chat.locator('details.folded summary', { hasText: '2 steps' }).waitFor();
			await w.chat.locator('.steps').getByText('edit a.go +1 −1').waitFor();
			await w.chat.locator('.turn .who', { hasText: /^scripted$/ }).waitFor();
			await w.chat.locator('.more').getByText(/\d s · Trace/).waitFor();
			assert.equal(await w.row(/not ready yet/).count(), 0, 'the draft has become the plan');
			await w.page.locator('.tab.active', { hasText: 'a.go (plan 1)' }).waitFor(); // it opens by itself
			await w.openFile('a.go');
			await row.filter({ hasText: '1 of 1: +1 −1' }).waitFor();
			await until('only the plan is drawn', async () => (await drawn(w)).filter((text) => text.includes('good day')).length === 1 && (await row.filter({ hasText: 'not ready' }).count()) === 0);
			await w.still();
			await w.screenshot('work-done');
		});
	} finally {
		model.stop();
	}
}
