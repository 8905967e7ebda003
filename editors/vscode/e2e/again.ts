import assert from 'node:assert/strict';
import { before } from './job';
import { Model } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** Reloads the window: the chat is still there, its plan can be decided on, and the conversation continues. */
export async function reloaded(world: World): Promise<void> {
	const heard: string[] = [];
	const model = await Model.start(({ role, content, all }) => {
		heard.push(all);
		return role === 'tool' ? [{ text: 'It is **proposed**.' }]
			: content.includes('greeting') ? [{ tool: 'edit_file', arguments: { path: 'a.go', old_string: 'says hello', new_string: 'says good day' } }] : [{ text: 'Four.' }];
	});
	try {
		const dir = world.workspace('reloaded', { 'a.go': before, 'lib/greet me.go': 'package lib\n' }, { model: model.url });
		await Workbench.run(world, 'reloaded', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();

			// Files are completed after an @, with the keyboard.
			const list = w.chat.getByRole('listbox'), field = w.chat.locator('#message');
			await w.type('mend the greeting in @');
			await list.getByRole('option', { name: 'a.go' }).waitFor();
			await w.press('ArrowDown');
			const second = list.getByRole('option', { name: 'greet me.go', selected: true });
			await second.waitFor();
			assert.equal(await field.getAttribute('aria-activedescendant'), await second.getAttribute('id'));
			await w.screenshot('files');
			await w.press('Escape');
			await list.waitFor({ state: 'hidden' });
			assert.equal(await field.inputValue(), 'mend the greeting in @');
			await w.type('gr');
			await list.getByRole('option', { name: 'greet me.go', selected: true }).waitFor();
			await w.press('Enter');
			await until('the file is in the message', async () => (await field.inputValue()) === 'mend the greeting in @"lib/greet me.go" ');
			await w.type('and @a.g');
			await list.getByRole('option', { name: 'a.go' }).waitFor();
			await w.press('Tab');
			await until('the other is too', async () => (await field.inputValue()) === 'mend the greeting in @"lib/greet me.go" and @a.go ');
			await w.press('Enter');
			await w.chat.getByRole('group', { name: 'Plan 1, waits for you' }).waitFor();
			await w.ready();
			assert.ok(heard[0]?.includes('package lib'), 'what was mentioned is shown to the model');

			await w.focusMessage();
			await w.type('half a thought');
			await w.reload();
			await w.shows(/1 change waits/);
			await w.openChat();
			await w.chat.locator('.answer strong', { hasText: 'proposed' }).waitFor();
			await w.chat.getByRole('group', { name: 'Plan 1, waits for you' }).waitFor();
			await w.page.locator('.modified-in-monaco-diff-editor .view-line', { hasText: 'says good day' }).first().waitFor(); // the comparison too is open again
			await w.screenshot('reloaded');
			assert.equal(await field.inputValue(), 'half a thought');
			await field.fill('how much is two and two?');
			await w.press('Enter');
			await w.chat.getByText('Four.').waitFor();
			await w.ready();
			assert.ok(heard.at(-1)?.includes('mend the greeting'), 'the model knows what was said in the window before');

			// A new conversation begins with an empty page.
			await w.focusMessage();
			await w.type('/new');
			await w.press('Enter');
			await w.chat.locator('.you', { hasText: 'mend the greeting' }).waitFor({ state: 'detached' });
			await w.type('how much is three and one?');
			await w.press('Enter');
			await w.chat.getByText('Four.').waitFor();
			await w.ready();
			assert.ok(!heard.at(-1)?.includes('two and two'), 'and with an empty mind');

			// The one before is opened again, with its plan, and continued.
			await w.command('Redline: Open Earlier Conversation…');
			const lines = w.page.locator('.quick-input-widget .monaco-list-row');
			await lines.filter({ hasText: 'three and one' }).filter({ hasText: 'open now' }).waitFor();
			const input = w.page.locator('.quick-input-widget input[type="text"]').first();
			await input.fill('mend the greeting');
			await lines.first().filter({ hasText: 'mend the greeting' }).waitFor();
			await w.screenshot('history');
			await input.press('Enter');
			await w.chat.locator('.you', { hasText: 'mend the greeting' }).waitFor();
			await w.chat.locator('.you', { hasText: 'two and two' }).waitFor();
			await w.chat.getByRole('group', { name: 'Plan 1, waits for you' }).waitFor();
			assert.equal(await w.chat.locator('.you', { hasText: 'three and one' }).count(), 0);
			await w.looks('history-opened');
			await w.focusMessage();
			await w.type('and five and four?');
			await w.press('Enter');
			await w.chat.getByText('Four.').nth(1).waitFor();
			await w.ready();
			assert.ok(heard.at(-1)?.includes('two and two'), 'the model knows what was said in it');
		});
	} finally {
		model.stop();
	}
}
