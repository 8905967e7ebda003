import * as fs from 'node:fs';
import * as path from 'node:path';
import { Model, type Piece } from './model';
import { small } from './png';
import * as rewritten from './rewrite';
import * as tried from './trials';
import { themes, Workbench } from './workbench';
import { root, type World } from './world';

const greet = `package greet

import "fmt"

// Hello greets somebody by name.
func Hello(name string) string {
	return "Hello " + name
}

// Print greets everybody.
func Print(names []string) {
	for _, name := range names {
		fmt.Println(Hello(name))
	}
}
`;
const test = `package greet

import "testing"

func TestHello(t *testing.T) {
	if got := Hello("Ada"); got != "Hello Ada" {
		t.Error(got)
	}
}
`;

const answer = 'It joins two strings with `+`:\n\n- an **empty name** gives `"Hello "`, with a space at the end\n- there is no comma\n\nNothing calls it with an empty name.';

function reply({ role, content }: { role: string; content: string }): Piece[] {
	const edit = (file: string, from: string, to: string): Piece =>
		({ tool: 'edit_file', arguments: { path: file, old_string: from, new_string: to } });
	if (role === 'tool') {
		return [{ text: 'The greeting has its comma, and the test expects it.' }];
	}
	if (content.includes('comma')) {
		return [
			{ text: 'I add the comma, and say so in the test. ' },
			edit('greet.go', 'return "Hello " + name', 'return "Hello, " + name'),
			edit('greet.go', '// Print greets everybody.', '// Print greets everybody, one a line.'),
			edit('greet_test.go', 'got != "Hello Ada"', 'got != "Hello, Ada"'),
			{ tool: 'run_command', arguments: { command: 'go test ./...' } },
		];
	}
	return [{ text: answer }];
}

/**
 * Takes the pictures for the documentation, and with REDLINE_SCREENSHOTS the same scenes in other themes and sizes, for a
 * review by eye.
 */
export async function pictures(world: World, to: string): Promise<void> {
	await ofTrial(world, to);
	await ofRewrite(world, to);
	await ofPlan(world, to);
}

async function ofPlan(world: World, to: string): Promise<void> {
	const model = await Model.start(reply);
	const looked = process.env['REDLINE_SCREENSHOTS'];
	try {
		const dir = world.workspace('greet', { 'greet.go': greet, 'greet_test.go': test }, { model: model.url });
		await Workbench.run(world, 'pictures', dir, async (w) => {
			const picture = async (name: string, height = size.height) => {
				const taken = await w.page.screenshot({ animations: 'disabled', caret: 'hide', clip: { x: 0, y: 0, width: size.width, height } });
				fs.writeFileSync(path.join(to, `${name}.png`), small(taken));
			};
			await w.openFile('greet.go');
			await w.ready();
			await w.command('Notifications: Toggle Do Not Disturb Mode');
			await w.openChat();
			await w.type('/ask what is wrong with Hello?');
			await w.press('Enter');
			await w.chat.getByText('there is no comma').waitFor();
			await w.ready();
			await w.focusMessage();
			await w.type('put the comma in');
			await w.press('Enter');
			await w.shows(/3 changes wait/);
			await w.chat.getByText('expects it').waitFor();
			await w.page.locator('.multiDiffEditor').getByText('one a line').first().waitFor();
			await w.still();
			await picture('vscode');
			const settings = (all: object) => {
				fs.mkdirSync(path.join(dir, '.vscode'), { recursive: true });
				fs.writeFileSync(path.join(dir, '.vscode', 'settings.json'), JSON.stringify(all));
			};
			const everywhere = async (name: string) => {
				for (const [theme, title] of looked ? themes : []) {
					settings({ 'workbench.colorTheme': title });
					await w.page.locator(`.monaco-workbench.${theme}`).waitFor();
					for (const width of [700, 1600]) {
						await w.page.setViewportSize({ width, height: 800 });
						await w.still();
						await w.page.screenshot({ path: path.join(looked ?? '', `look-${name}-${theme}-${width}.png`) });
					}
				}
				settings({});
				await w.page.locator('.monaco-workbench.vs-dark').waitFor();
				await w.page.setViewportSize(size);
			};
			await everywhere('plan');
			await w.command('View: Close All Editors');
			await w.openFile('greet.go');
			await w.command('View: Toggle Primary Side Bar Visibility');
			await w.page.locator('.codelens-decoration a').first().waitFor();
			await w.still();
			await picture('vscode-marks', 420);
			fs.writeFileSync(path.join(walkthrough, 'review.png'), small(await w.page.screenshot({ animations: 'disabled', caret: 'hide', clip: { x: 48, y: 140, width: 640, height: 190 } })));
			await everywhere('marks');
			if (!looked) {
				return;
			}
			await w.command('View: Toggle Primary Side Bar Visibility');
			await w.command('Redline: Approve Plan and Run Its Commands');
			await w.page.locator('.monaco-dialog-box').waitFor();
			await everywhere('modal');
			await w.press('Enter');
			await w.openChat();
			await w.chat.getByText('waits until you have saved').waitFor();
			await w.page.locator('.tab.dirty', { hasText: 'greet_test.go' }).waitFor(); // what has no tab yet is not saved
			await w.command('File: Save All');
			await w.focusMessage();
			await w.chat.locator('.card.state-completed, .card.state-failed').waitFor();
			await w.type('/no such command');
			await w.press('Enter');
			await w.chat.locator('.note.error').waitFor();
			await w.type('/re');
			await w.command('Redline: Show Plans');
			await everywhere('done');
			await w.command('View: Close All Editors');
			await w.command('Welcome: Open Walkthrough...');
			await w.type('Redline');
			await w.press('Enter');
			await everywhere('walkthrough');
		}, { size });
	} finally {
		model.stop();
	}
}

/** The steps of the walkthrough have pictures in the package. */
const walkthrough = path.join(root, 'walkthrough');

const size = { width: 1280, height: 720 };

/** Takes the picture of a rewrite in the text, and in the four default themes that of the text, the tree and the card. */
async function ofRewrite(world: World, to: string): Promise<void> {
	const model = await Model.start(rewritten.reply);
	try {
		const dir = world.workspace('cart', { 'cart.go': rewritten.before }, { model: model.url });
		await Workbench.run(world, 'pictures-rewrite', dir, async (w) => {
			await w.openFile('cart.go');
			await w.ready();
			await w.command('Notifications: Toggle Do Not Disturb Mode');
			await w.openChat();
			await w.type('return an error for an empty cart');
			await w.press('Enter');
			await w.shows(/1 change waits/);
			await w.ready();
			await w.command('View: Close All Editors');
			await w.openFile('cart.go');
			await w.marks().first().waitFor();
			await w.page.locator('.codelens-decoration a', { hasText: 'Compare' }).first().waitFor();
			await w.still();
			await w.page.locator('.codelens-decoration a', { hasText: 'Compare' }).first().waitFor();
			const all: Buffer[] = [];
			for (const [theme, title] of themes) {
				await w.theme(theme, title);
				await w.still();
				all.push(await w.page.screenshot({ animations: 'disabled', caret: 'hide' }));
			}
			await composed(world, path.join(to, 'decisions', 'third-look-themes.png'), all, 2);
			await w.theme('vs-dark', 'Default Dark Modern');
			await w.command('View: Toggle Primary Side Bar Visibility');
			await w.still();
			fs.writeFileSync(path.join(to, 'vscode-rewrite.png'), small(await w.page.screenshot({ animations: 'disabled', caret: 'hide', clip: { x: 48, y: 35, width: 852, height: 300 } })));
		}, { size: { width: 900, height: 560 } });
	} finally {
		model.stop();
	}
}

/** Takes the picture of a trial that fails, and of the plan that was fixed for it, side by side. */
async function ofTrial(world: World, to: string): Promise<void> {
	const model = await Model.start(tried.reply);
	try {
		const dir = world.workspace('sum', { 'sum.sh': tried.sum, 'check.sh': tried.check }, { model: model.url });
		if (!world.tries(dir)) {
			console.error('vscode: the picture of a trial is left out: there are none here, and `redline doctor` says why');
			return;
		}
		await Workbench.run(world, 'pictures-trial', dir, async (w) => {
			await w.openFile('sum.sh');
			await w.ready();
			await w.command('Notifications: Toggle Do Not Disturb Mode');
			await w.openChat();
			await w.type('turn the sum round');
			await w.press('Enter');
			const press = async (act: string) => {
				await w.chat.locator(`.card [data-act="${act}"]`).focus();
				await w.press('Enter');
			};
			const card = async () => {
				await w.ready();
				await w.command('View: Focus Active Editor Group');
				await w.still();
				return w.chat.locator('.card').last().screenshot({ animations: 'disabled', caret: 'hide' });
			};
			await w.chat.locator('.card [data-act="allow"]').waitFor();
			await press('allow');
			await w.chat.locator('.card [data-act="try"]').waitFor();
			await press('try');
			await w.chat.locator('.card .trials .failed').waitFor();
			const failed = await card();
			await press('fix');
			await w.chat.getByText('It adds again.').first().waitFor();
			await w.ready();
			await press('try');
			await w.chat.locator('.card .trials .passed').waitFor();
			const passed = await card();
			fs.writeFileSync(path.join(walkthrough, 'decide.png'), small(passed));
			await composed(world, path.join(to, 'vscode-trial.png'), [failed, passed], 2);
		}, { size: { width: 1280, height: 900 } });
	} finally {
		model.stop();
	}
}

/** Writes pictures side by side, so many in a row. */
async function composed(world: World, file: string, pictures: Buffer[], columns: number): Promise<void> {
	const page = await world.browser.newPage({ viewport: { width: 3000, height: 2000 } });
	const images = pictures.map((picture) => `<img src="data:image/png;base64,${picture.toString('base64')}">`).join('');
	await page.setContent(`<style>body { margin: 0; background: #808080; } div { display: inline-grid; grid-template-columns: repeat(${columns}, auto); gap: 8px; padding: 8px; align-items: start; }</style><div>${images}</div>`);
	fs.writeFileSync(file, small(await page.locator('div').screenshot()));
	await page.close();
}
