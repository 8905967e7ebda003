import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { before, beside } from './job';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** Approves a plan and runs its command: what was clean is saved and the command runs; the user's unsaved work is asked about. */
export async function running(world: World): Promise<void> {
	const dir = world.workspace('running', { 'a.go': before, 'b.go': beside });
	await Workbench.run(world, 'running', dir, async (w) => {
		const ran = (text: string) => until(`the command has run on ${text}`, () => fs.existsSync(path.join(dir, 'out.txt')) && w.read('out.txt').includes(text));
		await w.openFile('a.go');
		await w.ready();
		await w.ask('rename greet to salute in *.go then run cp b.go out.txt');
		await w.shows(/3 changes wait/);
		await w.command('Redline: Approve Plan and Run Its Commands');
		await w.page.locator('.monaco-dialog-box').waitFor();
		await w.press('Enter');
		await ran('salute');
		await until('the files are saved', () => w.read('a.go').includes('salute') && w.read('b.go').includes('salute'));
		await w.chat.getByRole('group', { name: 'Plan 1, completed' }).waitFor();
		assert.equal(await w.notification('waits until').count() + await w.chat.getByText('waits until you have saved').count(), 0, 'nobody is asked to save');
		await w.screenshot('running-done');

		await w.openFile('b.go');
		await w.press('Control+End');
		await w.type('// my own');
		await w.page.locator('.tab.dirty', { hasText: 'b.go' }).waitFor();
		await w.ask('rename salute to wave in *.go then run cp b.go out.txt');
		await w.shows(/3 changes wait/);
		await w.command('Redline: Approve Plan and Run Its Commands');
		await w.page.locator('.monaco-dialog-box').waitFor();
		await w.press('Enter');
		const save = w.notification('b.go had unsaved work of yours').getByRole('button', { name: 'Save All and Run' });
		await save.waitFor();
		await w.screenshot('running-asks');
		assert.ok(!w.read('b.go').includes('my own'), 'the user’s work is not saved unasked');
		await save.press('Enter');
		await ran('wave');
		await ran('// my own');
	});
}
