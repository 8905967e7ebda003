import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { before, rename } from './job';
import { Workbench } from './workbench';
import { root, World } from './world';

/** Installs the package for this platform as users do, with its own program and none on PATH. */
export async function packaged(program: string): Promise<void> {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'redline-vsix-'));
	let world: World | undefined;
	try {
		const file = path.join(dir, 'redline.vsix');
		execFileSync('node', ['scripts/package.mjs', '--target', `linux-${process.arch}`, '--program', program, '--out', file], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
		world = await World.start({ package: file });
		const workspace = world.workspace('packaged', { 'a.go': before });
		await Workbench.run(world, 'packaged', workspace, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.command('Redline: Show Log');
			await w.page.locator('.panel .view-line', { hasText: '(from extension)' }).first().waitFor();
			await w.ask(rename);
			await w.shows(/2 changes wait/);
		});
	} finally {
		await world?.stop();
		fs.rmSync(dir, { recursive: true, force: true });
	}
}
