import assert from 'node:assert/strict';
import { before, beside } from './job';
import { Model, type Piece } from './model';
import { Workbench } from './workbench';
import type { World } from './world';

const edit = (path: string, from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path, old_string: from, new_string: to } });

function reply({ role, content }: { role: string; content: string }): Piece[] {
	if (role === 'tool') {
		return [{ text: 'That is all.' }];
	}
	if (content.includes('wave')) {
		return [edit('a.go', 'func salute() {}', 'func wave() {}')];
	}
	return [edit('a.go', 'func greet() {}', 'func salute() {}'), edit('b.go', 'var f = greet', 'var f = salute')];
}

/**
 * Edits the proposed side of a comparison with the keyboard. Saving makes a revision by the user, which the tree and the card
 * show and an approval applies. When the model has made another revision meanwhile, the editor asks what to do.
 */
export async function editing(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('editing', { 'a.go': before, 'b.go': beside, '.vscode/settings.json': JSON.stringify({ 'diffEditor.useInlineViewWhenSpaceIsLimited': false }) }, { model: model.url });
		await Workbench.run(world, 'editing', dir, async (w) => {
			const compare = async (name: RegExp, title: string) => {
				await w.select(name);
				await w.press('Enter');
				await w.page.locator('.tab.active', { hasText: title }).waitFor();
				await w.command('View: Focus Active Editor Group');
				await w.focused();
			};
			const unsaved = w.page.locator('.tab.active.dirty');
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await w.type('salute');
			await w.press('Enter');
			await w.shows(/2 changes wait/);

			// What is typed on the proposed side is a revision once it is saved. Nothing of it can be approved before that.
			await compare(/a\.go/, 'a.go (plan 1)');
			await w.compares('func salute() {}');
			await w.goTo(4);
			await w.press('End');
			await w.type(' // by hand');
			await unsaved.waitFor();
			await w.page.locator('.codelens-decoration', { hasText: 'Save to make this revision 2 of plan 1' }).first().waitFor();
			await w.press('Control+Enter');
			const offered = w.notification(/not saved it. Save it to make it part of plan 1/).getByRole('button', { name: 'Save to Make Revision 2' });
			await offered.waitFor();
			await w.still();
			await w.screenshot('editing-unsaved');
			await offered.focus();
			await w.press('Enter');
			await unsaved.waitFor({ state: 'detached' });
			await w.notification(/What you edited is part of the plan now/).waitFor();
			await w.command('Notifications: Clear All Notifications');
			await w.row(/Revisions/).waitFor();
			await w.compares('func salute() {} // by hand');
			await w.page.locator('.tab.active', { hasText: 'a.go (plan 1)' }).waitFor();
			await w.chat.getByText('Revision 2, changed by you').waitFor();
			await w.screenshot('editing-saved');
			assert.equal(w.read('a.go'), before, 'nothing has changed yet');
			await w.select(/Revisions/);
			await w.press('ArrowRight');
			await w.row(/Revision 2.*you · in a\.go · newest/).waitFor();

			// Another revision while the user edits: the editor asks, and the user's text wins.
			await w.command('View: Focus Active Editor Group');
			await w.focused();
			await w.goTo(4);
			await w.press('End');
			await w.type(', twice');
			await unsaved.waitFor();
			await w.command('Redline: Rework Plan…');
			const box = w.page.locator('.quick-input-widget:has-text("What should be different?") input[type="text"]').first();
			await box.fill('wave instead');
			await box.press('Enter');
			await w.row(/Revision 3/).waitFor();
			await w.page.locator('.tab.active', { hasText: 'Redline: plan 1' }).waitFor(); // the new revision is shown, and the user's work stays
			await w.command('View: Open Previous Editor');
			await unsaved.and(w.page.locator(':has-text("a.go (plan 1)")')).waitFor();
			await w.compares('func salute() {} // by hand, twice');
			await w.focused();
			await w.press('Control+s');
			const asked = w.notification(/content of the file is newer|newer/i);
			await asked.getByRole('button', { name: 'Overwrite' }).waitFor();
			await w.screenshot('editing-conflict');
			await asked.getByRole('button', { name: 'Overwrite' }).focus();
			await w.press('Enter');
			await w.row(/Revision 4.*you/).waitFor();

			// The approval applies the user's text, and the comparison closes.
			await w.command('Redline: Approve Plan');
			await w.shows(/no changes wait/);
			await w.page.locator('.tab', { hasText: '(plan 1)' }).waitFor({ state: 'detached' });
			await w.saved('a.go', before.replace('func greet() {}', 'func salute() {} // by hand, twice'));
			await w.saved('b.go', beside.replace('greet', 'salute'));
		});
	} finally {
		model.stop();
	}
}
