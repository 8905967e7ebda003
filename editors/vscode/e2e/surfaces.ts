import assert from 'node:assert/strict';
import { before, beside } from './job';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const gone = 'package main\n\nvar old = 1\n';

const edit = (path: string, from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path, old_string: from, new_string: to } });

function reply({ role, content }: { role: string; content: string }): Piece[] {
	if (role === 'tool') {
		return [{ text: 'That is all.' }];
	}
	if (content.includes('wave')) {
		return [edit('b.go', 'var f = salute', 'var f = wave')];
	}
	return [
		edit('a.go', 'func greet() {}', 'func salute() {}'), edit('a.go', 'func main() { greet() }', 'func main() { salute() }'),
		edit('b.go', 'var f = greet', 'var f = salute'),
		{ tool: 'write_file', arguments: { path: 'c.go', content: 'package main\n\nvar created = 1\n' } },
		{ tool: 'delete_file', arguments: { path: 'd.go' } },
	];
}

/** Checks after each decision that every open surface is up to date: comparisons, marks, the tree, the chat. */
export async function surfaces(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('surfaces', { 'a.go': before, 'b.go': beside, 'd.go': gone }, { model: model.url });
		await Workbench.run(world, 'surfaces', dir, async (w) => {
			const compare = async (row: RegExp, tab: string) => {
				await w.select(row);
				await w.press('Enter');
				await w.page.locator('.tab.active', { hasText: tab }).waitFor();
			};
			const decide = async (row: RegExp, key: string, left: RegExp) => {
				await w.select(row);
				await w.press(key);
				await w.shows(left);
			};
			await w.openFile('b.go');
			await w.ready();
			await w.openChat();
			await w.type('salute');
			await w.press('Enter');
			await w.shows(/5 changes wait/);

			// The comparison of a file.
			await compare(/b\.go/, 'b.go (plan 1)');
			await w.compares('var f = salute');
			await decide(/b\.go/, 'Delete', /4 changes wait/);
			await w.compares('var f = greet');
			await w.title('Approve All Changes in File').waitFor({ state: 'detached' });
			await w.chat.locator('.card li.status-rejected', { hasText: 'b.go' }).waitFor();
			await w.screenshot('surfaces-rejected');
			await compare(/a\.go/, 'a.go (plan 1)');
			await w.compares('func salute() {}');
			await w.title('Approve All Changes in File').waitFor();
			await decide(/Line 8/, 'Control+Enter', /3 changes wait/);
			await w.compares('func main() { salute() }');
			await decide(/Line 4/, 'Delete', /2 changes wait/);
			await w.compares('func greet() {}');
			await w.compares('func main() { salute() }');
			await w.command('Redline: Undo Plan');
			await w.shows(/3 changes wait/);
			await w.compares('func main() { salute() }');
			await w.openFile('a.go');
			await until('the marks are those of what waits', async () => (await w.marks().count()) === 1);

			// A deleted file, and a created one.
			await compare(/d\.go/, 'd.go (plan 1)');
			await w.compares('');
			await decide(/d\.go/, 'Delete', /2 changes wait/);
			await w.compares('var old = 1');
			await compare(/c\.go/, 'c.go (plan 1)');
			await w.compares('var created = 1');
			await decide(/c\.go/, 'Delete', /1 change waits/);
			await until('nothing is proposed', async () => (await w.proposed()) === '');
			await w.screenshot('surfaces-created');
			await w.select(/a\.go/);
			await w.command('Redline: Reject Plan');
			await w.shows(/no changes wait/);
			await w.chat.getByRole('group', { name: 'Plan 1, cancelled' }).waitFor();
		});
	} finally {
		model.stop();
	}
}

/** Checks that a comparison of a whole plan has the current files: after a rejection, a rework, a rollback, and an operation left out. Then undoes all. */
export async function reviewOfRevisions(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('revisions', { 'a.go': before, 'b.go': beside, 'd.go': gone }, { model: model.url });
		await Workbench.run(world, 'revisions', dir, async (w) => {
			const compared = w.page.locator('.multiDiffEntry .file-path .title.modified .label-name:visible');
			const shows = (...names: string[]) => until(`${names.join(', ')} are compared`, async () => {
				assert.equal(await w.page.locator('.tab', { hasText: 'Redline: plan 1' }).count(), 1);
				return JSON.stringify((await compared.allTextContents()).map((name) => name.trim()).sort()) === JSON.stringify(names);
			});
			await w.openFile('b.go');
			await w.ready();
			await w.openChat();
			await w.type('salute');
			await w.press('Enter');
			await w.shows(/5 changes wait/);
			await shows('a.go', 'b.go', 'c.go', 'd.go');
			await w.screenshot('review-1');
			await w.select(/c\.go/);
			await w.press('Delete');
			await w.shows(/4 changes wait/);
			await shows('a.go', 'b.go', 'd.go');
			await w.screenshot('review-2');
			await w.command('Redline: Rework Plan…');
			const box = w.page.locator('.quick-input-widget:has-text("What should be different?") input[type="text"]').first();
			await box.fill('wave instead');
			await box.press('Enter');
			await w.chat.getByText('That is all.').nth(1).waitFor();
			await until('the comparison is that of revision 2', async () => (await w.page.locator('.multiDiffEditor').innerText()).includes('wave'));
			await shows('a.go', 'b.go', 'd.go');
			await w.chat.getByText('Plan 1 was changed again below.').waitFor();
			assert.equal(await w.chat.getByRole('group', { name: 'Plan 1, waits for you' }).count(), 1);

			// Leaves out an operation, in the plan as text.
			await w.command('Redline: Open Plan as Text');
			await w.active('0001-r2.md');
			await w.replace('x] delete d.go', ' ] delete d.go'); // VS Code would close an opening bracket
			await w.press('Control+s');
			await w.shows(/3 changes wait/);
			await shows('a.go', 'b.go');

			// Rolls back to the first revision while another editor is in front: the outdated comparison is closed.
			await w.openFile('b.go');
			await w.openChat();
			await w.type('/rollback 1 1');
			await w.press('Enter');
			await w.shows(/4 changes wait/);
			await w.page.locator('.tab', { hasText: 'Redline: plan 1' }).waitFor({ state: 'detached' });
			await w.command('Redline: Review Plan');
			await shows('a.go', 'b.go', 'd.go');
			await w.screenshot('review-4');

			// After an edit of the preview nothing of this revision is applied, but the plan can be undone.
			await w.select(/b\.go/);
			await w.press('Control+Enter');
			await w.shows(/3 changes wait/);
			await w.saved('b.go', beside.replace('greet', 'salute'));
			await w.command('Redline: Open Plan as Text');
			await w.active('0001-r4.md');
			await w.replace('x] delete d.go', ' ] delete d.go');
			await w.press('Control+s');
			await w.shows(/2 changes wait/);
			await w.command('Redline: Undo Plan');
			await w.shows(/\d changes wait/);
			await w.saved('b.go', beside);
		});
	} finally {
		model.stop();
	}
}
