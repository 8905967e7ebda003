import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { before, rename } from './job';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const settings = { '.vscode/settings.json': JSON.stringify({ 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100, 'diffEditor.useInlineViewWhenSpaceIsLimited': false }) };

/** Edits a preview with auto-save on: it becomes one revision, when the user saves it. */
export async function autoSave(world: World): Promise<void> {
	const dir = world.workspace('autosave', { 'a.go': before, ...settings });
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

/** Asks for a plan, and types at the end of line 4 of the proposed side in the comparison that it opens. */
async function typeInComparison(w: Workbench, text: string): Promise<void> {
	await w.openFile('a.go');
	await w.ready();
	await w.ask(rename);
	await w.shows(/2 changes wait/);
	await w.page.locator('.tab.active', { hasText: 'a.go (plan 1)' }).waitFor();
	await w.compares('func salute() {}');
	await w.command('View: Focus Active Editor Group');
	await w.focused();
	await w.goTo(4);
	await w.press('End');
	await w.type(text);
}

/**
 * Edits the proposed side of a comparison with auto-save on: what it saves is a draft, which both sides show. An approval makes
 * it a revision and is refused, and so does a save by the user; then it can be approved.
 */
export async function autoSavedComparison(world: World): Promise<void> {
	const dir = world.workspace('autosaved', { 'a.go': before, ...settings });
	const isThere = (revision: number) => fs.existsSync(path.join(dir, '.redline', 'plans', `0001-r${revision}.md`));
	await Workbench.run(world, 'autosaved', dir, async (w) => {
		const lens = (title: string) => w.page.locator('.codelens-decoration', { hasText: title }).first();
		const unsaved = w.page.locator('.tab.active.dirty');
		await typeInComparison(w, ' // by ha');
		await lens('A draft, not in plan 1 yet: save to make it revision 2').waitFor();
		await w.type('nd');
		await unsaved.waitFor({ state: 'detached' });
		await w.page.locator('.original-in-monaco-diff-editor .codelens-decoration', { hasText: 'Save to make revision 2' }).first().waitFor();
		await w.still();
		await w.screenshot('comparison-auto-saved'); // looks would write over the settings
		assert.ok(!isThere(2), 'no tick of auto-save has made a revision');

		await w.focused();
		await w.press('Control+Enter');
		await w.notification(/What you edited is part of the plan now/).waitFor();
		await until('the draft is a revision', () => isThere(2));
		await lens('A draft').waitFor({ state: 'detached' });
		await w.compares('func salute() {} // by hand');
		assert.equal(w.read('a.go'), before, 'nothing has changed yet');

		await w.command('Notifications: Clear All Notifications');
		await w.command('View: Focus Active Editor Group');
		await w.focused();
		await w.goTo(4);
		await w.press('End');
		await w.type(', twice');
		await lens('A draft, not in plan 1 yet: save to make it revision 3').waitFor();
		await unsaved.waitFor({ state: 'detached' });
		assert.ok(!isThere(3), 'nor has a later one');
		for (let pressed = 0; pressed < 10 && !isThere(3); pressed++) { // a save during an auto-save becomes part of it
			await w.press('Control+s');
			await until('there is another revision', () => isThere(3), 9_000).catch(() => undefined);
		}
		await lens('A draft').waitFor({ state: 'detached' });
		assert.ok(isThere(3) && !isThere(4), 'a save makes one revision');

		// An approval of the whole plan shows the revision that the draft has become, and offers to approve just that.
		await w.press('End');
		await w.type(', thrice');
		await lens('A draft, not in plan 1 yet: save to make it revision 4').waitFor();
		await unsaved.waitFor({ state: 'detached' });
		await w.command('Redline: Approve Plan');
		const offer = w.notification(/What you edited is part of the plan now/).getByRole('button', { name: 'Approve Revision 4' });
		await offer.waitFor();
		await w.screenshot('comparison-offered');
		assert.equal(w.read('a.go'), before, 'nothing has changed yet');
		await offer.focus();
		await w.press('Enter');
		await w.shows(/no changes wait/);
		await w.saved('a.go', before.replaceAll('greet', 'salute').replace('func salute() {}', 'func salute() {} // by hand, twice, thrice'));
	});
}

const edit = (from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path: 'a.go', old_string: from, new_string: to } });

/**
 * Edits the proposed side of a comparison in an editor that saves what its user turns away from: that is a draft, too. When
 * the model makes a revision meanwhile, an approval asks to save the draft, and the editor then asks which text to keep.
 */
export async function savedOnFocusChange(world: World): Promise<void> {
	let go = (): void => undefined;
	const gate = new Promise<void>((resolve) => (go = resolve));
	const model = await Model.start(({ role, content }) => role === 'tool' ? [{ text: 'That is all.' }]
		: content.includes('wave') ? [{ wait: gate }, edit('func main() { salute() }', 'func main() { wave() }')]
			: [edit('func greet() {}', 'func salute() {}'), edit('func main() { greet() }', 'func main() { salute() }')]);
	const dir = world.workspace('focusout', { 'a.go': before, '.vscode/settings.json': JSON.stringify({ 'files.autoSave': 'onFocusChange', 'diffEditor.useInlineViewWhenSpaceIsLimited': false }) }, { model: model.url });
	const isThere = (revision: number) => fs.existsSync(path.join(dir, '.redline', 'plans', `0001-r${revision}.md`));
	try {
		await Workbench.run(world, 'focusout', dir, async (w) => {
			const lens = (title: string) => w.page.locator('.codelens-decoration', { hasText: title }).first();
			const unsaved = w.page.locator('.tab.active.dirty');
			await typeInComparison(w, ' // by ha');
			await unsaved.waitFor();
			await w.openChat();
			await unsaved.waitFor({ state: 'detached' });
			await w.page.locator('.original-in-monaco-diff-editor .codelens-decoration', { hasText: 'Save to make revision 2' }).first().waitFor();
			await lens('A draft, not in plan 1 yet: save to make it revision 2').waitFor(); // although the keyboard is in the chat
			assert.ok(!isThere(2), 'looking away makes no revision');

			await w.command('View: Focus Active Editor Group');
			await w.focused();
			await w.type('nd');
			await unsaved.waitFor();
			await w.press('Control+s');
			await lens('A draft').waitFor({ state: 'detached' });
			await until('a save makes a revision', () => isThere(2));
			await w.compares('func salute() {} // by hand');

			await w.openChat();
			await w.type('wave instead');
			await w.press('Enter');
			await w.chat.locator('.doing').waitFor();
			await w.command('View: Focus Active Editor Group');
			await w.focused();
			await w.goTo(4);
			await w.press('End');
			await w.type(', twice');
			await w.openChat();
			await lens('A draft, not in plan 1 yet: save to make it revision 3').waitFor();
			go();
			await w.ready();
			await until('the model has made a revision', () => isThere(3));
			await w.command('Redline: Approve Plan');
			const offered = w.notification(/Plan 1 is at revision 3 now, and your draft of a.go is of revision 2/).getByRole('button', { name: 'Save the Draft' });
			await offered.waitFor();
			await w.screenshot('draft-overtaken');
			await offered.focus();
			await w.press('Enter');
			const asked = w.notification(/newer/i).getByRole('button', { name: 'Overwrite' });
			await asked.waitFor();
			await w.screenshot('draft-asked');
			await asked.focus();
			await w.press('Enter');
			await until('the user has made another', () => isThere(4));
			await w.compares('func salute() {} // by hand, twice');
			assert.equal(w.read('a.go'), before, 'nothing has changed yet');
		});
	} finally {
		model.stop();
	}
}
