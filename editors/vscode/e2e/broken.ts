import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { Model, type Piece, type Said } from './model';
import { Workbench } from './workbench';
import type { World } from './world';

const files = {
	'go.mod': 'module m\n\ngo 1.26\n',
	'a/a.go': 'package a\n\nfunc A() int { return 1 }\n',
	'b/b.go': 'package b\n\nimport "m/a"\n\nvar B = a.A()\n',
};

function reply({ role, content }: Said): Piece[] {
	if (role === 'tool') {
		return [{ text: 'That is all.' }];
	}
	const edit = (file: string, from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path: file, old_string: from, new_string: to } });
	return [content.includes('Fix the errors in what the plan proposes: it adds 1 error.') ? edit('b/b.go', 'a.A()', 'a.Answer()') : edit('a/a.go', 'func A()', 'func Answer()')];
}

/**
 * gopls finds that a plan breaks a file that it does not touch: the card and the tree list the error and open its place,
 * whatever room a long request leaves in the tree, and *Fix* comes before *Approve*.
 */
export async function broken(world: World): Promise<void> {
	const cache = process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), gopls = path.join(cache, 'redline-languages', 'bin', 'gopls');
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('broken', files, { model: model.url });
		if (!fs.existsSync(gopls) || !world.tries(dir)) {
			console.error('vscode: problems are left out: they need gopls (.ci/install-languages installs it) and isolation (`redline doctor` says what is missing)');
			return;
		}
		fs.symlinkSync(gopls, path.join(path.dirname(world.program), 'gopls'));
		world.run(dir, 'trials', 'allow');
		await Workbench.run(world, 'broken', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await w.type('call it Answer, which says what it is for, and leave everything else in the package as it is now');
			await w.press('Enter');
			const card = w.chat.getByRole('group', { name: 'Plan 1, waits for you' });
			const problem = card.getByRole('button', { name: 'b/b.go:5: undefined: a.A' });
			await problem.waitFor();
			const buttons = await card.locator('.buttons button').evaluateAll((all) => all.slice(0, 2).map((b) => `${b.textContent} ${b.getAttribute('class')}`));
			assert.deepEqual(buttons, ['Fix primary', 'Approve secondary']);
			await w.looks('broken-card');
			await problem.focus();
			await w.press('Enter');
			await w.page.locator('.tab.active', { hasText: 'b.go' }).waitFor();
			await w.focused();
			await w.page.locator('.statusbar-item', { hasText: 'Ln 5, Col' }).waitFor();

			await w.select(/^\s*undefined: a\.A/);
			await w.looks('broken-tree');
			await w.openChat();
			await card.locator('[data-act="fix"]').focus();
			await w.press('Enter');
			await card.getByText('2 files').waitFor();
			await card.locator('[data-act="fix"]').waitFor({ state: 'detached' });
			await card.locator('[data-act="approve"]').focus();
			await w.press('Enter');
			await w.chat.getByRole('group', { name: 'Plan 1, completed' }).waitFor();
			await w.saved('b/b.go', files['b/b.go'].replace('a.A()', 'a.Answer()'));
		});
	} finally {
		model.stop();
	}
}
