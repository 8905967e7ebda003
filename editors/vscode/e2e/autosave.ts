import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { before, rename } from './job';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** Edits a preview with auto-save on: it becomes one revision, when the user saves it. */
export async function autoSave(world: World): Promise<void> {
	const dir = world.workspace('autosave', { 'a.go': before, '.vscode/settings.json': JSON.stringify({ 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 }) });
	const page = (revision: number) => path.join('.redline', 'plans', `0001-r${revision}.md`);
	const isThere = (revision: number) => fs.existsSync(path.join(dir, page(revision)));
	await Workbench.run(world, 'autosave', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/2 changes wait/);
		await w.command('Redline: Open Plan as Text');
		await w.active('0001-r1.md');
		await w.replace('+func salute() {}', '+func h');
		for (const part of ['ai', 'l() {}']) {
			await until(`it is saved before ${part} is typed`, () => w.read(page(1)).includes('+func h'));
			await w.type(part);
		}
		await until('all of it is saved', () => w.read(page(1)).includes('+func hail() {}'));
		await w.page.locator('.editor-instance .squiggly-info').first().waitFor();
		await w.looks('preview-auto-saved');
		assert.ok(!isThere(2), 'no tick of auto-save has made a revision');

		await w.active('0001-r1.md');
		// A save during an auto-save becomes part of it: then the note stays, and the user saves again.
		for (let pressed = 0; pressed < 10 && !isThere(2); pressed++) {
			await w.press('Control+s');
			await until('there is a revision', () => isThere(2), 9_000).catch(() => undefined);
		}
		assert.ok(isThere(2), 'a save makes a revision');
		await w.page.locator('.editor-instance .squiggly-info').waitFor({ state: 'detached' });
		assert.ok(w.read(page(2)).includes('+func hail() {}'));
		assert.ok(!isThere(3), 'and only one');
		await w.command('Redline: Approve Plan');
		await w.shows(/no changes wait/);
		await w.saved('a.go', before.replaceAll('greet', 'salute').replace('func salute() {}', 'func hail() {}'));
	});
}
