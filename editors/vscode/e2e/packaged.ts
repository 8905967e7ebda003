import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { before, rename } from './job';
import { Workbench } from './workbench';
import { root, World } from './world';

/**
 * Installs the package for this platform as users do, with its own program, and none on PATH nor Go. Then goes from a
 * request to an approved edit. REDLINE_VSIX names a package that is there, such as one of a release.
 */
export async function packaged(program: string): Promise<void> {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'redline-vsix-'));
	let world: World | undefined;
	try {
		const file = process.env['REDLINE_VSIX'] ?? path.join(dir, 'redline.vsix');
		if (!fs.existsSync(file)) {
			execFileSync('node', ['scripts/package.mjs', '--target', `linux-${process.arch}`, '--program', program, '--out', file], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
		}
		world = await World.start({ package: file });
		const [installed = ''] = fs.readdirSync(path.join(world.dir, 'extensions')).filter((name) => name.includes('redline'));
		assert.equal(fs.statSync(path.join(world.dir, 'extensions', installed, 'bin', 'redline')).mode & 0o777, 0o755, 'the program can be run');
		const workspace = world.workspace('packaged', { 'a.go': before });
		await Workbench.run(world, 'packaged', workspace, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.command('Redline: Show Log');
			await w.page.locator('.panel .view-line', { hasText: '(from extension)' }).first().waitFor();
			await w.screenshot('packaged-log');
			await w.command('View: Toggle Panel Visibility');
			await w.ask(rename);
			await w.shows(/2 changes wait/);
			await w.page.locator('.editor-instance .modified-in-monaco-diff-editor').getByText('salute').first().waitFor();
			await w.screenshot('packaged-plan');
			assert.equal(w.read('a.go'), before, 'nothing has changed yet');
			await w.command('Redline: Approve Plan');
			await w.shows(/no changes wait/);
			await w.saved('a.go', before.replaceAll('greet', 'salute'));
			await w.screenshot('packaged-approved');
			assert.equal(await w.notification('too old').count(), 0);
		});
	} finally {
		await world?.stop();
		fs.rmSync(dir, { recursive: true, force: true });
	}
}

/** Starts a program that is too old: a message says how to upgrade it, and it still works. */
export async function outdated(world: World): Promise<void> {
	const old = path.join(world.dir, 'Cellar', 'redline', '0.0.9', 'bin', 'redline');
	execFileSync('go', ['build', '-ldflags', '-X main.version=0.0.9', '-o', old, './cmd/redline'], { cwd: path.resolve(root, '../..'), stdio: 'inherit' });
	const dir = world.workspace('outdated', { 'a.go': before });
	world.settings({ 'redline.server.path': old });
	try {
		await Workbench.run(world, 'outdated', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			const message = w.notification(/Redline 0\.0\.9 is too old for this extension, which needs \d+\.\d+\.\d+ or later\. Upgrade it with `brew upgrade redline`\./);
			await message.getByRole('button', { name: 'Choose Another Program…' }).waitFor();
			await w.looks('outdated');
			await message.getByRole('button', { name: 'Copy Command' }).press('Enter');
			await w.ask(rename);
			await w.shows(/2 changes wait/);

			// A restart does not say it again.
			const starts = w.page.locator('.panel .view-line', { hasText: '[info] Starting' });
			await w.command('Redline: Show Log');
			await starts.first().waitFor(); // an open log takes the keyboard
			await w.command('Redline: Restart Server');
			await starts.nth(1).waitFor();
			await w.shows(/2 changes wait/);
			assert.equal(await w.notification('too old').count(), 0);
		});
	} finally {
		world.settings({});
	}
}
