import * as fs from 'node:fs';
import * as path from 'node:path';
import { Model, type Piece } from './model';
import { small } from './png';
import { Workbench } from './workbench';
import type { World } from './world';

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

const size = { width: 1280, height: 720 };

const themes = [['vs', 'Default Light Modern'], ['vs-dark', 'Default Dark Modern'], ['hc-black', 'Default High Contrast'], ['hc-light', 'Default High Contrast Light']] as const;
