import assert from 'node:assert/strict';
import { before, beside, rename } from './job';
import { until } from './until';
import { Workbench } from './workbench';
import { World } from './world';

/** Kills the server while a plan is half decided: a message says so, the server restarts, and the plan continues. */
export async function killed(world: World): Promise<void> {
	const dir = world.workspace('killed', { 'a.go': before });
	await Workbench.run(world, 'killed', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/2 changes wait/);
		await w.openFile('a.go');
		await w.goTo(8);
		await w.press('Control+Enter');
		await w.shows(/1 change waits/);
		const first = world.serverOf(dir);
		process.kill(first, 'SIGKILL');
		await w.notification('ended unexpectedly').waitFor();
		await w.notification('Your plans are kept').getByRole('button', { name: 'Show Log' }).waitFor();
		await w.screenshot('killed');
		await until('there is another server', () => world.serverOf(dir) !== first);
		await w.shows(/1 change waits/);
		await w.command('Redline: Approve Plan');
		await w.shows(/no changes wait/);
		await w.saved('a.go', before.replaceAll('greet', 'salute'));
	});
}

/** Kills the server during an approval: the editor has made the edit, and the server has no answer yet. */
export async function killedMidApproval(world: World): Promise<void> {
	const dir = world.workspace('midway', { 'a.go': before, 'b.go': beside }, { relay: true });
	await Workbench.run(world, 'midway', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/3 changes wait/);
		const first = world.serverOf(dir);
		world.killAtEdit(dir);
		await w.command('Redline: Approve Plan');
		await w.notification('ended unexpectedly').getByRole('button', { name: 'Show Log' }).waitFor();
		await w.screenshot('midway');
		await until('there is another server', () => world.serverOf(dir) !== first);
		assert.equal(await w.notification('disposed').count(), 0, 'what the library says about it is nobody’s concern');

		// One file is changed, in its editor only; the other still waits. The plan continues from there.
		await w.shows(/1 change waits/);
		await w.command('Redline: Approve Plan');
		await w.shows(/no changes wait/);
		await w.saved('a.go', before.replaceAll('greet', 'salute'));
		await w.saved('b.go', beside.replace('greet', 'salute'));
		await w.command('Redline: Undo Plan');
		await w.saved('a.go', before);
		await w.saved('b.go', beside);
	});
}

/** Starts without the program: a message says what to do, and after that everything works. */
export async function missing(world: World): Promise<void> {
	const dir = world.workspace('missing', { 'a.go': before });
	world.settings({ 'redline.server.path': '/no/such/program' });
	try {
		await Workbench.run(world, 'missing', dir, async (w) => {
			const message = w.notification('which is not a program');
			for (const name of ['Choose…', 'Open Settings', 'Show Log']) {
				await message.getByRole('button', { name }).waitFor();
			}
			await w.shows(/program not found/);
			await w.screenshot('missing');
			await message.getByRole('button', { name: 'Show Log' }).press('Enter');
			await w.page.locator('.panel .view-line', { hasText: 'names “/no/such/program”' }).first().waitFor();
			await w.command('Redline: Choose Server Program…');
			const box = w.page.locator('.quick-input-widget input[type="text"]').first();
			await until('a program can be named', async () => (await box.inputValue()).startsWith('/'));
			await until('a program was chosen', async () => { // the box completes paths while the test types
				if (!(await box.isVisible())) {
					return true;
				}
				if ((await box.inputValue()) === world.program) {
					await box.press('Enter', { timeout: 3000 });
				} else {
					await box.fill(world.program, { timeout: 3000 });
				}
				return false;
			});
			await w.ready();
		});
	} finally {
		world.settings({});
	}
}

/** Opens an untrusted workspace: plans can be looked at, and nothing else. */
export async function untrusted(): Promise<void> {
	const world = await World.start({ trust: false });
	try {
		const dir = world.workspace('untrusted', { 'a.go': before });
		world.run(dir, 'run', '--plan-only', rename);
		await Workbench.run(world, 'untrusted', dir, async (w) => {
			await w.shows(/2 changes wait/);
			await w.command('Redline: Review Plan');
			await w.page.locator('.editor-instance .modified-in-monaco-diff-editor').getByText('salute').first().waitFor();
			await w.command('Redline: Approve Plan');
			await w.notification('not trusted').waitFor();
			await w.shows(/2 changes wait/);
			assert.equal(w.read('a.go'), before);
		});
	} finally {
		await world.stop();
	}
}

/** Reports how long activation took, as VS Code measures it. */
export async function activation(world: World): Promise<void> {
	const dir = world.workspace('activation', { 'a.go': before });
	await Workbench.run(world, 'activation', dir, async (w) => {
		await w.ready();
		await w.command('Developer: Show Running Extensions');
		const row = w.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: 'redline' }).first();
		const text = await until('its row is there', async () => /Activation: (\d+)ms/.exec((await row.textContent({ timeout: 3000 })) ?? '')?.[1]);
		console.log(`Redline activated in ${text} ms.`);
		assert.ok(Number(text) >= 0);
	});
}
