import assert from 'node:assert/strict';
import { before, rename } from './job';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/**
 * What VS Code and its library for language servers send by themselves, for any server: requests about a text that has
 * changed, and $/setTrace after any change of a setting, also one that VS Code makes itself and late.
 */
const ofTheEditor = /^> (textDocument\/(codeLens|codeAction|inlayHint|foldingRange|documentLink|documentSymbol|completion|hover|diagnostic)|codeLens\/resolve|\$\/(cancelRequest|setTrace)|answer)$/;

/** While the user types above proposed changes, the server hears of the text, and nothing is asked by the extension. */
export async function typing(world: World): Promise<void> {
	const dir = world.workspace('typing', { 'a.go': before }, { relay: true });
	await Workbench.run(world, 'typing', dir, async (w) => {
		await w.openFile('a.go');
		await w.ready();
		await w.ask(rename);
		await w.shows(/2 changes wait/);
		await w.command('View: Close All Editors');
		await w.openFile('a.go');
		await w.marks().first().waitFor();
		await w.goTo(2);
		const told = (method: string) => world.messages(dir).filter((m) => m === method).length;
		const start = world.messages(dir).length, changes = told('> textDocument/didChange');
		const text = '// fifty letters are typed here, one after the othe';
		for (const letter of text) {
			await w.press(letter === ' ' ? 'Space' : letter);
		}
		await w.press('Enter'); // what is below moves, and its marks with it
		await until('the server has heard of each letter', () => told('> textDocument/didChange') - changes >= text.length + 1);
		await w.command('Redline: Next Change');
		await w.at(4);
		const sent = world.messages(dir).slice(start).filter((m) => m.startsWith('>'));
		assert.deepEqual([...new Set(sent.filter((m) => m !== '> textDocument/didChange' && !ofTheEditor.test(m)))], []);
		assert.equal(told('> textDocument/didChange') - changes, text.length + 1);
	});
}
