import assert from 'node:assert/strict';
import { Model, type Piece } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

const text = 'const first = 1;\nconst second = first + 1;\n';

function reply({ role, content }: { role: string; content: string }): Piece[] {
	if (role === 'tool') {
		return [{ text: 'That is all.' }];
	}
	const notes = Array.from({ length: 20 }, (_, i) => `// note ${i}\n`).join('');
	return [{ tool: 'edit_file', arguments: { path: 'x.ts', old_string: 'const second = first + 1;', new_string: content.includes('notes') ? `${notes}const second = first + 2;` : 'const second = first + ;' } }];
}

/** What the language server of TypeScript reports about the texts of two plans for one file is about the text that it is shown at, and nothing else. */
export async function typescript(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('typescript', { 'x.ts': text }, { model: model.url });
		await Workbench.run(world, 'typescript', dir, async (w) => {
			const compare = async (plan: number) => {
				await w.select(new RegExp(`^\\s*${plan}\\. `));
				await w.press('Enter');
				await w.page.locator('.tab.active', { hasText: `x.ts (plan ${plan})` }).waitFor();
				await w.command('View: Keep Editor');
				await w.command('View: Focus Active Editor Group');
				await w.focused();
			};
			await w.openFile('x.ts');
			await w.ready();
			await w.openChat();
			await w.type('break it');
			await w.press('Enter');
			await w.shows(/1 change waits/);
			await w.ready();
			await compare(1);
			await w.command('Redline: New Conversation');
			await w.openChat();
			await w.type('add notes');
			await w.press('Enter');
			await w.shows(/2 changes wait/);
			await w.ready();
			await compare(2);
			await w.command('Problems: Focus on Problems View');
			await problems(w, 'Expression expected. ts 1109 [Ln 2, Col 24]');
			await w.screenshot('typescript');
			await w.command('View: Focus Active Editor Group');
			await w.focused();
			await w.goTo(22);
			await w.press('End', 'Backspace');
			await w.type(' + ;');
			await problems(w, 'Expression expected. ts 1109 [Ln 2, Col 24]', 'Expression expected. ts 1109 [Ln 22, Col 28]');
			await w.screenshot('typescript-typed');
			await w.press('Backspace');
			await w.type('3;');
			await problems(w, 'Expression expected. ts 1109 [Ln 2, Col 24]');
			assert.equal(w.read('x.ts'), text);
		});
	} finally {
		model.stop();
	}
}

/** Waits until the view *Problems* has just these. */
async function problems(w: Workbench, ...wanted: string[]): Promise<void> {
	const rows = w.page.locator('.markers-panel .monaco-list-row[aria-level="2"]');
	let shown: string[] = [];
	await until(`there are ${wanted.length} problems`, async () => {
		shown = (await rows.allInnerTexts()).map((one) => one.replace(/\s/g, ''));
		return shown.length === wanted.length && shown.every((one, i) => one.includes(wanted[i]?.replaceAll(' ', '') ?? ''));
	}).catch((error: unknown) => {
		throw new Error(`the view Problems has ${JSON.stringify(shown)}`, { cause: error });
	});
}
