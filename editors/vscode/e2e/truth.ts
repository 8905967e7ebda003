import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { before } from './job';
import { Model, type Piece } from './model';
import { Workbench } from './workbench';
import type { World } from './world';

const edit = (path: string, from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path, old_string: from, new_string: to } });

function reply({ role }: { role: string }): Piece[] {
	if (role === 'tool') {
		return [{ text: 'That is all.' }];
	}
	return [
		edit('a.go', 'func greet() {}', 'func salute() {}\n\nfunc wave() {}'), edit('a.go', 'func main() { greet() }', 'func main() { salute() }'),
		edit('x.ts', 'const first = 1;', `${Array.from({ length: 20 }, (_, i) => `// line ${i}\n`).join('')}const first = 10;`),
		{ tool: 'rename_file', arguments: { path: 'old.go', new_path: 'new.go' } },
	];
}

/** Checks that tree, card and comparisons tell what is so: stale changes, what was applied, moves, and the way to the next change. */
export async function truth(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('truth', { 'a.go': before, 'old.go': 'package main\n', 'x.ts': 'const first = 1;\nconst second = 2;\n' }, { model: model.url });
		const started = world.holdServer(dir);
		await Workbench.run(world, 'truth', dir, async (w) => {
			// A request that is made while the server starts waits for it.
			await w.openFile('a.go');
			await w.ask('salute');
			await w.shows(/starting/i);
			assert.deepEqual((await w.page.locator('.notification-toast').allInnerTexts()).filter((text) => text.includes('not running')), []);
			started();
			await w.shows(/4 changes wait/);
			assert.deepEqual((await w.page.locator('.notification-toast').allInnerTexts()).filter((text) => text.includes('not running')), []);

			// A move is visible in its comparison.
			await w.select(/new\.go/);
			await w.press('Enter');
			await w.page.locator('.tab.active', { hasText: 'old.go → new.go (plan 1)' }).waitFor();

			// What is typed into a change makes it stale in the tree and on the card, and as it was when that is taken back.
			await w.openFile('a.go');
			await w.goTo(8);
			await w.press('End');
			const card = w.chat.locator('.card', { hasText: 'Plan 1' });
			const begun = Date.now();
			await w.type('x');
			await Promise.all([w.row(/Line 8.*stale/).waitFor(), card.getByText(/stale/).first().waitFor()]);
			console.error(`vscode: stale in tree and card ${Date.now() - begun} ms after a keystroke`); // a picture of the order, no limit
			await w.screenshot('truth-stale');
			await w.press('Backspace');
			await w.row(/Line 8.*stale/).waitFor({ state: 'detached' });

			// One change of two is what was applied, and the undo says so. After a decision the cursor is at the next change.
			await w.goTo(4);
			await w.press('Control+Enter');
			await w.shows(/3 changes wait/);
			await w.at(10);
			await w.press('Control+Shift+Backspace');
			await w.shows(/2 changes wait/);
			await w.active('x.ts');
			await card.getByRole('button', { name: 'Undo (1 file, +3 −1)' }).waitFor();
			await w.row(/a\.go.*\+3 −1/).waitFor();
			assert.ok(fs.existsSync(`${dir}/old.go`), 'the move waits');
		});
	} finally {
		model.stop();
	}
}
