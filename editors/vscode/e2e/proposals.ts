import { until } from './until';
import { Workbench } from './workbench';
import { probed, type World } from './world';

/** The workbench refuses proposed API, as stable VS Code does: code-server grants it, and tests would pass with what users cannot have. */
export async function proposals(world: World): Promise<void> {
	const dir = world.workspace('proposals', { [probed]: '' });
	await Workbench.run(world, 'proposals', dir, async (w) => {
		await until('proposed API was called', () => w.read(probed) !== '');
		if (!/CANNOT use API proposal/.test(w.read(probed))) {
			throw new Error(`proposed API is ${w.read(probed)}: run .ci/install-vscode, which has the workbench refuse it`);
		}
	});
}
