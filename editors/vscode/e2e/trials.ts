import assert from 'node:assert/strict';
import { Model, type Piece, type Said } from './model';
import { Workbench } from './workbench';
import type { World } from './world';

export const sum = 'echo $(($1 + $2))\n';
export const check = 'touch checked\ngot=$(sh sum.sh 2 3)\ntest $got = 5 && exit\necho "2 and 3 are $got"\nexit 1\n';

export function reply({ role, content, all }: Said): Piece[] {
	if (role === 'tool') {
		return [{ text: all.includes('2 and 3 are -1') ? 'It adds again.' : 'The sum is turned round.' }];
	}
	const edit = (from: string, to: string): Piece => ({ tool: 'edit_file', arguments: { path: 'sum.sh', old_string: from, new_string: to } });
	if (content.includes('2 and 3 are -1')) {
		return [edit('$1 - $2', '$2 + $1')];
	}
	return [edit('+', '-'), { tool: 'run_command', arguments: { command: 'sh check.sh' } }];
}

/** Allows trials on the plan's card, lets one fail, shows its output, fixes the plan, and lets a trial pass and become outdated. */
export async function trials(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('trials', { 'sum.sh': sum, 'check.sh': check }, { model: model.url });
		if (!world.tries(dir)) {
			console.error('vscode: trials are left out: there are none here, and `redline doctor` says why');
			return;
		}
		await Workbench.run(world, 'trials', dir, async (w) => {
			await w.openFile('sum.sh');
			await w.ready();
			await w.openChat();
			await w.type('turn the sum round');
			await w.press('Enter');
			const card = w.chat.getByRole('group', { name: 'Plan 1, waits for you' });
			const press = async (act: string) => {
				await card.locator(`[data-act="${act}"]`).focus();
				await w.press('Enter');
			};
			await card.getByText('Allow trials in this workspace').waitFor();
			await w.screenshot('trials-allow');
			await press('allow');
			await card.locator('[data-act="try"]').waitFor();
			assert.equal(await card.locator('[data-act="allow"]').count(), 0);

			await press('try');
			await card.locator('.trials .failed', { hasText: 'fails now, after' }).waitFor();
			await w.chat.locator('.answer', { hasText: 'fails now on what plan 1 proposes' }).waitFor();
			await w.ready();

			// The verdict and Fix come first; the output is below, folded.
			assert.equal(await card.locator('.buttons button').first().textContent(), 'Fix');
			await w.chat.locator('.turn').last().getByRole('button', { name: 'Fix' }).waitFor();
			const output = w.chat.locator('details', { hasText: '2 and 3 are -1' });
			assert.equal(await output.evaluate((e) => (e as HTMLDetailsElement).open), false);
			await output.locator('summary').press('Enter');
			await output.getByText('2 and 3 are -1').waitFor();
			await w.looks('trials-failed');
			await press('output-t1');
			await w.page.locator('.tab.active', { hasText: 'Trial t1 of plan 1' }).waitFor();
			await w.page.locator('.editor-instance .view-line', { hasText: '2 and 3 are -1' }).waitFor();
			await w.command('View: Close All Editors');
			await w.select(/tried: fails now/);
			await w.looks('trials-tree');
			await w.press('Enter');
			await w.page.locator('.tab.active', { hasText: 'Trial t1 of plan 1' }).waitFor();
			await w.looks('trials-output');
			await w.command('View: Close All Editors');

			await press('fix');
			await w.chat.getByText('It adds again.').waitFor();
			await w.ready();
			await press('try');
			await card.locator('.trials .passed', { hasText: 'passed, after' }).waitFor();
			await w.ready();
			await w.looks('trials-passed');

			await w.command('Redline: Try Command on Plan…');
			const box = w.page.locator('.quick-input-widget:has-text("as the plan would leave them") input[type="text"]').first();
			await box.waitFor();
			await box.fill('sleep 600');
			await box.press('Enter');
			await w.shows(/trying `sleep 600`.*Click to cancel/);
			await w.screenshot('trials-running');
			await w.command('Redline: Cancel Running Turns');
			await w.chat.getByText('Cancelled.').waitFor();

			await w.command('View: Close All Editors'); // a comparison of the file has its name
			await w.openFile('sum.sh');
			await w.press('Control+End');
			await w.type('# typed');
			await card.locator('.trials .earlier', { hasText: 'of an earlier text' }).waitFor();
			await w.screenshot('trials-earlier');
			assert.equal(w.read('sum.sh'), sum, 'nothing has changed');
			assert.throws(() => w.read('checked'), 'nothing has stayed');
		});
	} finally {
		model.stop();
	}
}
