import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { before } from './job';
import { Model } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import { World } from './world';

const key = 'sk-e2e-4f1d9c';
const other = 'Another OpenAI-compatible endpoint';

/** Drives the steps of the setup with the keyboard. */
class Steps {
	readonly widget: Locator;
	readonly input: Locator;

	constructor(private readonly w: Workbench) {
		this.widget = w.page.locator('.quick-input-widget');
		this.input = this.widget.locator('.quick-input-box input');
	}

	/** Waits for a step by its place, such as 2/4. */
	at(place: string): Promise<void> {
		return this.widget.filter({ hasText: `(${place})` }).waitFor();
	}

	async answer(place: string, text: string): Promise<void> {
		await this.at(place);
		await this.input.fill(text);
		await this.w.press('Enter');
	}

	/** Chooses the item of a list that begins with a label. */
	async choose(place: string, label: string): Promise<void> {
		await this.at(place);
		await this.input.fill(label);
		await this.widget.locator('.monaco-list-row.focused', { hasText: label }).waitFor();
		await this.w.press('Enter');
	}
}

/** Starts a model that accepts one key and proposes one edit. */
function someModel(heard: { model: string; key: string }[]): Promise<Model> {
	return Model.start(({ role, content, model, authorization }) => {
		heard.push({ model, key: authorization.replace('Bearer ', '') });
		if (content.includes('hello.txt')) { // the test request
			return [{ tool: 'read_file', arguments: { path: 'hello.txt' } }];
		}
		return role === 'tool' ? [{ text: 'It is **proposed**.' }] : [{ tool: 'edit_file', arguments: { path: 'a.go', old_string: 'says hello', new_string: 'says good day' } }];
	}, { key, models: ['scripted-large', 'scripted-small', 'other-7b'] });
}

/** Returns everything that the workbench, the extension and the server have written: logs, settings, messages. */
function written(dir: string): string {
	return fs.readdirSync(dir, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(log|json|toml|md|texts)$/.test(entry.name))
		.map((entry) => textOf(path.join(entry.parentPath, entry.name))).join('\n');
}

/** Returns the text of a file, and none if a program has removed the file meanwhile. */
function textOf(file: string): string {
	try {
		return fs.readFileSync(file, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
			return '';
		}
		throw error;
	}
}

/**
 * Goes from the welcome text of the chat to an answer of the model. The key reaches the server through its environment and
 * is written nowhere; a workspace cannot redirect it.
 */
export async function setUp(world: World): Promise<void> {
	const heard: { model: string; key: string }[] = [];
	const model = await someModel(heard);
	const evil = JSON.stringify({ 'redline.model.baseUrl': 'http://127.0.0.1:9/v1', 'redline.model.provider': 'openai', 'redline.model.name': 'evil', 'workbench.colorTheme': 'Default Dark Modern' });
	const dir = world.workspace('setup', { 'a.go': before, '.vscode/settings.json': evil }, { texts: true });
	const settings = path.join(world.dir, 'user', 'Machine', 'settings.json');
	try {
		await Workbench.run(world, 'setup', dir, async (w) => {
			const steps = new Steps(w);
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			await w.chat.getByText('its small built-in model').waitFor();
			await w.looks('setup-welcome');
			await w.chat.getByRole('button', { name: 'Set Up a Model…' }).press('Enter');
			await steps.at('1/3');
			await w.looks('setup-providers');
			await steps.choose('1/3', other);
			await steps.answer('2/4', 'api.example.com');
			await steps.widget.getByText('begins with https://').waitFor();
			await steps.answer('2/4', model.url);
			await steps.at('3/4');
			assert.equal(await steps.input.getAttribute('type'), 'password');
			await steps.answer('3/4', 'two words');
			await steps.widget.getByText('A key has no spaces').waitFor();
			await w.looks('setup-key');
			await steps.answer('3/4', 'sk-wrong');

			// A wrong key is reported instead of the list of models, and the user can go back.
			await steps.at('4/4');
			await steps.widget.getByText('Cannot list the models').waitFor();
			await w.looks('setup-refused');
			await w.press('Enter');
			await steps.answer('3/4', key);
			await steps.at('4/4');
			await steps.widget.locator('.monaco-list-row', { hasText: 'scripted-large' }).waitFor();
			await w.looks('setup-models');
			await steps.choose('4/4', 'small'); // what is listed is taken, not the name that was typed
			const result = w.notification(/scripted-small answered in \d+\.\d s\. Tools work\. Context: 128k\./);
			await result.waitFor();
			await w.looks('setup-result');
			await w.chat.getByRole('button', { name: 'Set Up a Model…' }).waitFor({ state: 'detached' });

			// The first request goes to it, with the key.
			await w.ready();
			const environment = () => fs.readFileSync(`/proc/${world.serverOf(dir)}/environ`, 'utf8').split('\0');
			assert.ok(environment().includes(`REDLINE_API_KEY=${key}`), 'the key is in the server’s environment');
			const count = heard.length;
			await w.ask('mend the greeting');
			await w.shows(/1 change waits/);
			assert.deepEqual(heard.at(-1), { model: 'scripted-small', key });
			assert.ok(heard.length > count);
			await w.command('Redline: Approve Plan');
			await w.saved('a.go', before.replace('says hello', 'says good day'));
			const kept = JSON.parse(fs.readFileSync(settings, 'utf8')) as Record<string, unknown>;
			assert.deepEqual([kept['redline.model.provider'], kept['redline.model.name'], kept['redline.model.baseUrl']], ['other', 'scripted-small', model.url]);

			// Without the key the provider refuses: the message has a button to set up a model.
			await w.command('Redline: Remove Stored Key');
			await w.notification('removed the stored key').waitFor();
			await until('the server has no key', () => !environment().some((variable) => variable.includes(key)));
			await w.ready();
			await w.ask('mend it again');
			const refused = w.notification('The model provider at').getByRole('button', { name: 'Set Up a Model…' });
			await refused.waitFor();
			await w.openChat();
			await w.chat.getByRole('button', { name: 'Set Up a Model…' }).last().waitFor();
			await w.looks('setup-no-key');

			// The back button works, and the user may enter a model that is not listed.
			await refused.press('Enter');
			await steps.choose('1/4', other);
			await steps.answer('2/4', model.url);
			await steps.answer('3/4', key);
			await steps.at('4/4');
			await w.press('Control+Alt+Minus'); // back
			await steps.answer('3/4', key);
			await steps.choose('4/4', 'unlisted');
			await w.notification(/unlisted answered in/).waitFor();
		});
		const all = written(world.dir);
		for (const sign of ['(from PATH)', '"method":"workspace/executeCommand"', '"redline.model.name"']) { // the log, the messages, the settings
			assert.ok(all.includes(sign), `${sign} was read`);
		}
		assert.ok(!all.includes(key), 'the key is written nowhere');
	} finally {
		world.settings({});
		model.stop();
	}
}

/** Goes from an installed extension to the first approved edit. The program is where Go installs it, and on no PATH. */
export async function fromNothing(): Promise<void> {
	const heard: { model: string; key: string }[] = [];
	const model = await someModel(heard);
	const world = await World.start({ go: true });
	try {
		const dir = world.workspace('nothing', { 'a.go': before });
		await Workbench.run(world, 'nothing', dir, async (w) => {
			const begun = Date.now(), marks: string[] = [];
			const mark = (name: string) => marks.push(`${name} ${((Date.now() - begun) / 1000).toFixed(1)} s`);
			const steps = new Steps(w);
			await w.openFile('a.go');
			await w.ready();
			mark('server');
			await w.command('Redline: Set Up a Model…');
			await steps.choose('1/3', other);
			await steps.answer('2/4', model.url);
			await steps.answer('3/4', key);
			await steps.choose('4/4', 'scripted-large');
			await w.notification(/scripted-large answered in/).waitFor();
			await w.ready();
			mark('model');

			// The first request opens the chat, which does not take the focus.
			await w.ask('mend the greeting');
			await w.chat.getByRole('group', { name: 'Plan 1, waits for you' }).waitFor();
			await w.shows(/1 change waits/);
			mark('plan');
			await w.looks('first-request');
			await w.command('Redline: Approve Plan');
			await w.saved('a.go', before.replace('says hello', 'says good day'));
			mark('approved and saved');
			console.log(`From nothing: ${marks.join(', ')}.`);
			assert.ok(Date.now() - begun < 180_000, `it took more than 3 minutes: ${marks.join(', ')}`);
			await w.command('Redline: Show Log');
			await w.page.locator('.panel .view-line', { hasText: '/go/bin/redline (from folder)' }).first().waitFor();

			// A closed chat stays closed.
			await w.command('View: Toggle Primary Side Bar Visibility');
			await w.page.locator('iframe.webview.ready').waitFor({ state: 'detached' });
			await w.ask('mend it again');
			await w.notification('proposed').waitFor(); // an open chat would have shown it
			assert.ok(!(await w.page.locator('.part.sidebar').isVisible()));
		});
	} finally {
		await world.stop();
		model.stop();
	}
}
