import assert from 'node:assert/strict';
import { before, beside } from './job';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const edit = (path: string, from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path, old_string: from, new_string: to } });

function reply({ role, content }: { role: string; content: string }): Piece[] {
	if (role === 'tool') {
		return [{ text: 'That is all.' }];
	}
	if (content.includes('inline')) {
		return [{ tool: 'set_diff_mode', arguments: { mode: 'unified' } }];
	}
	return [edit('a.go', 'func greet() {}', 'func salute() {}'), edit('b.go', 'var f = greet', 'var f = salute')];
}

/** Takes an operation out and puts it back, compares two revisions, rolls back, rates the plan, and opens its trace. */
export async function revisionsAndTrace(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('staging', { 'a.go': before, 'b.go': beside }, { model: model.url });
		await Workbench.run(world, 'staging', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await w.type('salute');
			await w.press('Enter');
			await w.shows(/2 changes wait/);

			/** Chooses from the context menu of a row of the tree. */
			const choose = async (row: RegExp, item: string) => {
				await w.select(row);
				await w.press('Shift+F10');
				const menu = w.page.locator('.context-view .monaco-menu, .shadow-root-host .monaco-menu').last();
				await menu.waitFor();
				await until(`${item} is chosen`, async () => {
					if (await menu.locator('.action-item.focused', { hasText: item }).isVisible()) {
						return true;
					}
					await w.press('ArrowDown');
					return false;
				});
				await w.press('Enter');
			};
			/** Picks from a list. */
			const pick = async (question: string, item: string) => {
				const list = w.page.locator('.quick-input-widget', { hasText: question });
				await list.waitFor();
				const focused = list.locator('.monaco-list-row.focused', { hasText: item });
				await until(`${item} is picked`, async () => {
					if (await focused.isVisible()) {
						return true;
					}
					await w.press('ArrowDown');
					return false;
				});
				await w.press('Enter');
			};
			await choose(/b\.go/, 'Take Out of Plan');
			await w.shows(/1 change waits/);
			await w.row(/b\.go.*taken out/).waitFor();
			await w.row(/Revisions/).waitFor();
			await w.looks('staging-out');

			// The two revisions differ in what was taken out.
			await w.command('Redline: Compare Revisions…');
			await w.page.locator('.tab.active', { hasText: 'b.go (plan 1: revision 1 ↔ 2)' }).waitFor();
			await w.compares('var f = greet');
			await w.looks('staging-compared');

			await choose(/b\.go.*taken out/, 'Put Back into Plan');
			await w.shows(/2 changes wait/);
			await w.row(/b\.go.*taken out/).waitFor({ state: 'detached' });

			await w.command('Redline: Roll Back to Revision');
			await pick('roll back to which revision', 'without o2');
			await w.shows(/1 change waits/);
			assert.equal(w.read('b.go'), beside, 'nothing has changed');

			// The rating buttons appear once the plan is finished, and disappear once it is rated.
			await w.command('Redline: Approve Plan');
			await w.shows(/no changes wait/);
			const card = w.chat.locator('.card', { hasText: 'Plan 1' });
			await card.getByRole('group', { name: 'Your rating' }).waitFor();
			await w.looks('staging-rating');
			await card.locator('[data-act="good"]').focus();
			await w.press('Enter');
			await card.getByRole('group', { name: 'Your rating' }).waitFor({ state: 'detached' });

			// The trace of the turn, folded to its headings.
			await w.chat.locator('[data-act="trace"]').first().focus();
			await w.press('Enter');
			await w.active('trace.md');
			const page = w.page.locator('.editor-instance .view-lines');
			const lines = async () => (await page.innerText()).replaceAll('\u00a0', ' ');
			await until('the steps are folded', async () => {
				const shown = await lines();
				return shown.includes('Request 1') && shown.includes('Plan 1, revision 1') && !shown.includes('messages');
			});
			await w.looks('staging-trace');

			// How to show differences is a setting of the user: the extension asks first.
			await w.openChat();
			await w.type('show differences inline');
			await w.press('Enter');
			const asked = w.notification(/show differences inline/);
			await asked.getByRole('button', { name: 'Inline' }).waitFor();
			await w.screenshot('staging-asked');
			await asked.getByRole('button', { name: 'Inline' }).focus();
			await w.press('Enter');
			await asked.waitFor({ state: 'detached' });
			await w.command('Redline: Compare Revisions…');
			await pick('compare which revision?', 'Revision 2');
			await pick('compare revision 2 with which?', 'Revision 1');
			await until('the difference is inline', async () => (await w.page.locator('.monaco-diff-editor:not(.side-by-side)').count()) > 0);
			await w.screenshot('staging-inline');
		});
	} finally {
		model.stop();
	}
}
