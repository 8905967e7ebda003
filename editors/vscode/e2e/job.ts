import assert from 'node:assert/strict';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** Renaming greet changes this in two places. */
export const before = 'package main\n\n// greet says hello.\nfunc greet() {}\n\nfunc other() {}\n\nfunc main() { greet() }\n';
export const beside = 'package main\n\nvar f = greet\n';
export const rename = 'rename greet to salute in *.go';

/** Does the main job: request, see, move, approve one, reject one, approve the rest, undo. */
export async function wholeJob(world: World): Promise<void> {
	const dir = world.workspace('job', { 'a.go': before, 'b.go': beside });
	await Workbench.run(world, 'job', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/3 changes wait/);
		const comparison = w.page.locator('.multiDiffEditor, .multi-diff-editor-widget-root, .monaco-component.multiDiffEditor').first();
		await comparison.getByText('salute').first().waitFor();
		await w.screenshot('comparison');
		assert.equal(w.read('a.go'), before, 'nothing has changed yet');

		await w.openFile('a.go');
		await w.marks().first().waitFor();
		await w.goTo(1);
		await w.press('Alt+F7');
		await w.at(3);
		await w.screenshot('marks');
		await w.press('Alt+F7');
		await w.at(8);
		await w.press('Alt+F7');
		await w.active('b.go');
		await w.at(3);
		await w.press('Shift+Alt+F7');
		await w.active('a.go');
		await w.at(8);

		// After a decision the cursor is at the next change, in the next file if need be.
		await w.press('Control+Enter');
		await w.shows(/2 changes wait/);
		await w.active('b.go');
		await w.at(3);
		await w.press('Shift+Alt+F7');
		await w.active('a.go');
		await w.at(3);
		await w.press('Control+Shift+Backspace');
		await w.shows(/1 change waits/);
		await w.active('b.go');
		await w.at(3);
		await w.command('Redline: Approve Plan');
		await w.shows(/no changes wait/);
		await w.chat.getByText(/Not saved yet: .*b\.go/).waitFor(); // the chat has opened with the request
		await w.chat.getByRole('button', { name: 'Save All' }).press('Enter');
		await until('b.go is saved', () => w.read('b.go') !== beside);
		const main = before.replace('main() { greet() }', 'main() { salute() }');
		await w.saved('a.go', main);
		await w.saved('b.go', beside.replace('greet', 'salute'));

		await w.command('Redline: Undo Plan');
		await w.saved('a.go', before);
		await w.saved('b.go', beside);
		await w.shows(/2 changes wait/);
	});
}

/** Uses the view Plans and the diff editor. */
export async function treeAndDiff(world: World): Promise<void> {
	const dir = world.workspace('tree', { 'a.go': before, 'b.go': beside });
	await Workbench.run(world, 'tree', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/3 changes wait/);
		await w.command('Redline: Show Plans');
		await w.row(/b\.go/).waitFor();
		await w.screenshot('tree');

		// Opens the comparison of a file and decides on it, with the keyboard in the tree.
		await w.select(/b\.go/);
		await w.press('Enter');
		const proposed = w.page.locator('.editor-instance .modified-in-monaco-diff-editor');
		await proposed.getByText('salute').first().waitFor();
		await w.page.locator('.tab.active', { hasText: 'b.go (plan 1)' }).waitFor();
		await w.select(/b\.go/);
		await w.press('Control+Enter');
		await w.shows(/2 changes wait/);
		await w.saved('b.go', beside.replace('greet', 'salute'));

		await w.select(/Line 8/);
		await w.press('Enter');
		await w.page.locator('.tab.active', { hasText: 'a.go (plan 1)' }).waitFor();
		await w.screenshot('diff');
		await w.command('View: Focus Active Editor Group');
		await w.at(8);
		await w.decideInComparison('Control+Enter');
		await w.shows(/1 change waits/);
		await w.select(/Line 3/);
		await w.press('Delete');
		await w.shows(/no changes wait/);
		await w.saved('a.go', before.replace('main() { greet() }', 'main() { salute() }'));
	});
}
