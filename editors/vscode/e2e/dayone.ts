import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { before, beside, rename } from './job';
import { Model, type Piece, type Said } from './model';
import { Workbench } from './workbench';
import type { World } from './world';

/** Asks about a selection, fixes a problem of another extension, and uses /retry and /cancel in the chat. */
export async function dayOne(world: World): Promise<void> {
	const heard: Said[] = [];
	const never = new Promise<void>(() => undefined);
	const model = await Model.start((said): Piece[] => {
		heard.push(said);
		if (said.role === 'tool') {
			return [{ text: 'The value was missing.' }];
		}
		if (said.content.includes('what is this')) {
			return [{ text: `It greets, for the ${heard.length}. time.` }];
		}
		return said.content.includes('think') ? [{ text: 'Hm' }, { wait: never }]
			: [{ tool: 'edit_file', arguments: { path: 'x.json', old_string: '"a": ', new_string: '"a": 1' } }];
	});
	try {
		const dir = world.workspace('dayone', { 'a.go': before, 'x.json': '{\n\t"a": \n}\n' }, { model: model.url });
		await Workbench.run(world, 'dayone', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.goTo(4);
			await w.press('Shift+End', 'Control+k', 'a');
			const box = w.page.locator('.quick-input-widget:has-text("ask about the selection") input[type="text"]').first();
			await box.waitFor();
			await box.fill('/ask what is this?');
			await box.press('Enter');
			await w.chat.locator('.answer', { hasText: 'It greets' }).waitFor(); // the chat has opened with the request
			assert.ok(heard[0]?.all.includes('func greet() {}'), 'the model sees the selection');

			await w.openFile('x.json');
			await w.page.locator('.squiggly-error').first().waitFor(); // JSON's own extension
			await w.command('Go to Next Problem (Error, Warning, Info)');
			await w.press('Escape');
			await w.action('plan a fix for this problem');
			await w.shows(/1 change waits/);
			assert.match(heard.at(-2)?.all ?? '', /[Vv]alue expected/, 'the model is told what was found');
			await w.screenshot('fix');
			await w.command('Redline: Approve Plan');
			await w.shows(/no changes wait/);
			await w.saved('x.json', '{\n\t"a": 1\n}\n');

			await w.openChat();
			await w.type('/ask what is this?');
			await w.press('Enter');
			const answers = w.chat.locator('.answer', { hasText: 'It greets' });
			await answers.nth(1).waitFor();
			await w.ready();
			await w.type('/retry');
			await w.press('Enter', 'Enter'); // the first takes the suggestion, if there is one
			await answers.nth(2).waitFor();
			await w.ready();
			await w.focusMessage();
			await w.type('think about it');
			await w.press('Enter');
			await w.chat.locator('.answer', { hasText: 'Hm' }).waitFor();
			await w.type('/cancel');
			await w.press('Enter');
			await w.chat.getByText('Cancelled.').waitFor();
			await w.shows(/no changes wait/);
		});
	} finally {
		model.stop();
	}
}

/** Works in a workspace of two folders, one of them below the root of its repository. */
export async function folders(world: World): Promise<void> {
	const dir = world.workspace('many', {
		'one/sub/a.go': before, 'one/above.go': before, 'two/b.go': beside,
		'both.code-workspace': JSON.stringify({ folders: [{ path: 'one/sub' }, { path: 'two' }] }),
	});
	fs.renameSync(path.join(dir, '.git'), path.join(dir, 'one', '.git'));
	await Workbench.run(world, 'many', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/3 changes wait/);
		await w.select(/two\/b\.go/);
		await w.press('Enter');
		await w.page.locator('.tab.active', { hasText: 'b.go (plan 1)' }).waitFor();
		await w.page.locator('.editor-instance .modified-in-monaco-diff-editor').getByText('salute').first().waitFor();
		await w.screenshot('folders');
		await w.select(/sub\/a\.go/);
		await w.press('Control+Enter');
		await w.shows(/1 change waits/);
		await w.saved('one/sub/a.go', before.replaceAll('greet', 'salute'));
		await w.command('Redline: Approve Plan');
		await w.shows(/no changes wait/);
		await w.saved('two/b.go', beside.replace('greet', 'salute'));
		assert.equal(w.read('one/above.go'), before, 'what is not in the workspace is not touched');
	}, { file: 'both.code-workspace' });
}
