import assert from 'node:assert/strict';
import { before } from './job';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** The chat view, with a model that streams: slash commands, Markdown, a plan decided on in it, and cancelling. */
export async function chat(world: World): Promise<void> {
	let release = (): void => undefined;
	const released = new Promise<void>((resolve) => (release = resolve));
	const never = new Promise<void>(() => undefined);
	const model = await Model.start(({ role, content }): Piece[] => {
		if (role === 'tool') {
			return [{ text: 'That is all.' }];
		}
		if (content.includes('In French')) {
			return [{ text: 'Then it is bonjour.' }];
		}
		if (content.includes('which language')) {
			return [{ tool: 'ask_user', arguments: { question: 'In which language?', options: ['In English', 'In French'] } }];
		}
		if (content.includes('explain')) {
			return [{ text: 'It says **hel' }, { text: 'lo**. <img src="x" onerror="alert(1)">' }, { wait: released }, { text: '\n\n```diff\n-old\n+new\n```\n' }];
		}
		if (content.includes('change the greeting')) {
			return [{ text: 'I change it. ' }, { tool: 'edit_file', arguments: { path: 'a.go', old_string: 'says hello', new_string: 'says good day' } }];
		}
		return [{ text: 'Let me think' }, { wait: never }];
	});
	try {
		const dir = world.workspace('talk', { 'a.go': before }, { model: model.url });
		await Workbench.run(world, 'talk', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await w.type('/as');
			const list = w.chat.getByRole('listbox');
			await list.getByRole('option', { name: '/ask' }).waitFor();
			await w.screenshot('slash');
			await w.press('Tab');
			await w.type('explain this');
			await w.press('Enter');
			await w.chat.locator('.answer strong', { hasText: /^hello$/ }).waitFor(); // while it is still being written
			await w.shows(/Click to cancel/);
			await w.screenshot('streaming');
			release();
			await w.chat.locator('.answer pre .added', { hasText: '+new' }).waitFor();
			await w.ready();
			assert.equal(await w.chat.locator('.answer img').count(), 0, 'a reply brings no images');

			await w.type('change the greeting');
			await w.press('Enter');
			const card = w.chat.getByRole('group', { name: 'Plan 1, waits for you' });
			await card.getByText('a.go').waitFor();
			await w.ready();
			await w.screenshot('chat');
			await w.focusMessage();
			await w.press('Control+Enter'); // without a text it goes to the plan, and approves nothing
			await until('the plan has the keyboard', () => card.evaluate((e) => e === e.ownerDocument.activeElement));
			await w.shows(/1 change waits/);
			await w.press('Control+Enter');
			await w.chat.getByRole('group', { name: 'Plan 1, completed' }).waitFor();
			await w.saved('a.go', before.replace('says hello', 'says good day'));

			await w.openChat();
			await w.type('think about it');
			await w.press('Enter');
			await w.chat.getByText('Let me think').waitFor();
			await w.focusMessage();
			await w.press('Escape');
			await w.chat.getByText('Cancelled.').waitFor();
			await w.shows(/no changes wait/);

			await w.type('find out in which language');
			await w.press('Enter');
			const question = w.chat.getByRole('group', { name: 'Question' });
			await question.getByText('In which language?').or(w.chat.getByText('In which language?')).first().waitFor();
			await w.screenshot('question');
			await question.getByRole('button', { name: 'In French' }).press('Enter');
			await w.chat.getByText('Then it is bonjour.').waitFor();
			await until('a question that was answered has no buttons', async () => (await question.getByRole('button').count()) === 0);
			await w.ready();
			await w.focusMessage();

			// What is refused is said once, and here.
			await w.type('/nosuch');
			await w.press('Enter');
			await w.chat.getByRole('alert').getByText('There is no command /nosuch').waitFor();
			assert.equal(await w.chat.getByRole('alert').count(), 1);
			assert.equal(await w.notification('no command').count(), 0);

			// Cancelling from the palette.
			await w.type('think again');
			await w.press('Enter');
			await w.shows(/Click to cancel/);
			await w.command('Redline: Cancel Running Turns');
			await w.shows(/no changes wait/);
		});
	} finally {
		model.stop();
	}
}
