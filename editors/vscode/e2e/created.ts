import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { before } from './job';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** New files by name, with their exact bytes. */
const created: Record<string, string> = {
	'plain.md': 'one\ntwo\n', 'bare.txt': 'one\ntwo', 'dos.txt': 'one\r\ntwo\r\n', 'mark.txt': '\ufeffone\ntwo\n', 'empty.txt': '', 'blank.txt': 'one \n\n\n',
	'mixed.txt': 'one\r\ntwo\nthree',
};

/** Settings that change a file when it is saved. */
const settings = {
	'files.eol': '\r\n', 'files.insertFinalNewline': true, 'files.trimTrailingWhitespace': true, 'files.trimFinalNewlines': true, 'files.encoding': 'utf8bom',
};

/** Creates files with exactly the bytes that were shown, whatever the settings about saving, and undoes them. */
export async function createdFiles(world: World): Promise<void> {
	const model = await Model.start(({ role }): Piece[] => role === 'tool' ? [{ text: 'They are proposed.' }]
		: Object.entries(created).map(([name, content]) => ({ tool: 'write_file', arguments: { path: name, content } })));
	try {
		for (const set of [{}, settings]) {
			const name = set === settings ? 'created-set' : 'created';
			const dir = world.workspace(name, { 'a.go': before, '.vscode/settings.json': JSON.stringify(set) }, { model: model.url });
			await Workbench.run(world, name, dir, async (w) => {
				const as = () => assert.deepEqual(Object.fromEntries(Object.keys(created).map((file) => [file, w.read(file)])), created);
				await w.openFile('a.go');
				await w.ready();
				await w.ask('make them');
				await w.shows(/7 changes wait/);
				await w.command('Redline: Approve Plan');
				await until('all of them are there', () => Object.keys(created).every((file) => fs.existsSync(path.join(dir, file))));
				await w.shows(/no changes wait/);
				as();
				for (const file of Object.keys(created).filter((f) => f !== 'mixed.txt')) { // VS Code unifies the line ends of that one
					await w.openFile(file);
					if (set !== settings) { // those settings change the file, as the user wants
						await w.press('Control+s');
					}
				}
				await w.command('File: Save All');
				await w.page.locator('.tab.dirty').waitFor({ state: 'detached' });
				as();
				await w.command('Redline: Undo Plan');
				await w.shows(/7 changes wait/);
				await until('they are gone', () => Object.keys(created).every((file) => !fs.existsSync(path.join(dir, file))));
			});
		}
	} finally {
		model.stop();
	}
}
