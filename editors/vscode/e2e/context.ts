import assert from 'node:assert/strict';
import { before } from './job';
import { Model, type Said } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const answer = 'It greets:\n\n```go\nfunc greet() {}\n```\n';

/** The chat says what goes with a message and who answers it, and copies code, with the keyboard alone. */
export async function context(world: World): Promise<void> {
	const heard: Said[] = [];
	const model = await Model.start((said) => {
		heard.push(said);
		return [{ text: answer }];
	});
	try {
		const dir = world.workspace('context', { 'a.go': before, 'lib/b.go': 'package lib\n' }, { model: model.url });
		await Workbench.run(world, 'context', dir, async (w) => {
			const chip = (label: string) => w.chat.locator('.chip', { hasText: label });
			const ask = async (text: string) => {
				const asked = heard.length;
				await w.type(text);
				await w.press('Enter');
				await until('the model was asked', () => heard.length > asked);
				await w.ready();
				return heard[heard.length - 1]?.content ?? '';
			};
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await chip('a.go').waitFor();
			await w.chat.getByRole('combobox', { name: 'Who does the work' }).locator('option', { hasText: 'scripted' }).waitFor({ state: 'attached' });
			assert.match(await ask('/ask what does it do?'), /file: a\.go/);
			await w.chat.locator('.you .about', { hasText: /^a\.go$/ }).waitFor();
			await w.chat.locator('.turn .who', { hasText: /^scripted$/ }).waitFor();

			// The selection, and what is mentioned; a decision has neither.
			await w.openFile('a.go');
			await w.goTo(1);
			await w.press('Shift+ArrowDown', 'Shift+ArrowDown');
			await w.openChat();
			await chip('a.go:1–2').waitFor();
			await w.type('/undo 1');
			await chip('a.go').waitFor({ state: 'detached' });
			await w.chat.locator('#message').fill('');
			await w.type('/ask and @lib/b.go ');
			await chip('@b.go').waitFor();
			await w.looks('context-chips');

			// A chip is taken out with the keyboard, which comes back to the field.
			await chip('@b.go').getByRole('button', { name: 'Remove @b.go' }).press('Enter');
			await until('the mention is gone', async () => (await w.chat.locator('#message').inputValue()) === '/ask and ');
			const said = await ask('this?');
			assert.ok(/lines: 1-2/.test(said) && !said.includes('package lib'), said);
			await w.chat.locator('.you .about', { hasText: /^a\.go:1–2$/ }).waitFor();
			await chip('a.go:1–2').getByRole('button').press('Enter');
			await until('the keyboard is in the field', () => w.chat.locator('#message').evaluate((e) => e === e.ownerDocument.activeElement));
			assert.doesNotMatch(await ask('/ask and in general?'), /file: a\.go/);

			// Code is copied through the editor.
			const copy = w.chat.getByRole('button', { name: 'Copy this code' }).last();
			await copy.press('Enter');
			await w.chat.getByText('Copied').waitFor();
			await w.looks('context-copy');
			await w.focusMessage();
			await w.press('Control+v');
			await until('the code is pasted', async () => (await w.chat.locator('#message').inputValue()).startsWith('func greet() {}'));
		});
	} finally {
		model.stop();
	}
}
