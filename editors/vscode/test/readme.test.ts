import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

interface Setting {
	type: string;
	default: unknown;
	scope: string;
	enum?: string[];
	enumDescriptions?: string[];
	description?: string;
	markdownDescription?: string;
}

interface Manifest {
	contributes: {
		commands: { command: string; title: string; category: string }[];
		keybindings: { command: string; key: string; mac?: string }[];
		menus: { commandPalette: { command: string; when: string }[] };
		configuration: { properties: Record<string, Setting> };
		colors: { id: string; description: string }[];
	};
}

const { contributes: parts } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** When a command is in the palette, in words. A condition that is new here gets some. */
const when: Record<string, string> = {
	false: 'no: only its key or button',
	'redline.here': 'at a change',
	'redline.waiting': 'while changes wait for you',
	'redline.busy': 'while a turn runs',
	"redline.server == 'running'": 'while the server runs',
	"redline.server == 'missing'": 'while the server is missing',
	isWorkspaceTrusted: 'in a trusted workspace',
	"redline.trials == 'ask'": 'where trials can be allowed',
};

const scopes: Record<string, string> = { machine: 'user', window: 'user, workspace', resource: 'user, workspace, folder' };

/** A key as people write it: ctrl+k a is `Ctrl+K A`. */
function keys(pressed: string | undefined): string {
	const words = (pressed ?? '').split(/([+ ])/);
	return pressed ? '`' + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') + '`' : '';
}

function commandRow({ command, title, category }: Manifest['contributes']['commands'][number]): string {
	const bound = parts.keybindings.find((key) => key.command === command);
	const condition = parts.menus.commandPalette.find((entry) => entry.command === command)?.when;
	const words = (condition?.split(' && ') ?? []).map((part) => {
		assert.ok(when[part], `${command} is in the palette when ${part}: say in test/readme.test.ts what that means`);
		return when[part];
	});
	return `| *${category}: ${title}* | ${keys(bound?.key)} | ${keys(bound?.mac ?? bound?.key)} | ${words.join(', ') || 'always'} |`;
}

function settingRow([name, setting]: [string, Setting]): string {
	const values = setting.enum?.map((value, i) => `\`${value}\`` + (setting.enumDescriptions ? ` (${setting.enumDescriptions[i]?.replace(/\.$/, '')})` : '')).join(', ') ?? { boolean: '`true`, `false`', string: 'text', object: 'names and values' }[setting.type];
	const scope = scopes[setting.scope];
	assert.ok(values && scope, `${name} has the type ${setting.type} and the scope ${setting.scope}: say in test/readme.test.ts what that is`);
	const empty = setting.default === '' || JSON.stringify(setting.default) === '{}';
	return `| \`${name}\` | ${values} | ${empty ? '(none)' : String(setting.default)} | ${scope} | ${setting.markdownDescription ?? setting.description} |`;
}

/** The part of the page between its marks is want, or becomes it with REDLINE_UPDATE=1. */
function isPart(name: string, want: string): void {
	const page = readFileSync('README.md', 'utf8');
	const [begin, end] = [`<!-- made:${name} -->\n`, '<!-- /made -->\n'];
	const from = page.indexOf(begin) + begin.length;
	const to = page.indexOf(end, from);
	assert.ok(from >= begin.length && to >= 0, `README.md has no part ${name}`);
	if (process.env.REDLINE_UPDATE === '1') {
		writeFileSync('README.md', page.slice(0, from) + want + page.slice(to));
		return;
	}
	assert.equal(page.slice(from, to), want, 'README.md is not what package.json says: REDLINE_UPDATE=1 npm test writes it');
}

test('the page has every command with its keys', () => {
	for (const { command } of parts.keybindings) {
		assert.equal(parts.keybindings.filter((key) => key.command === command).length, 1, `${command} has several keys: the page shows one`);
	}
	isPart('commands', ['| command | key | macOS | in the palette |', '| --- | --- | --- | --- |', ...parts.commands.map(commandRow), ''].join('\n'));
});

test('the page has every setting with its values, its default and its scope', () => {
	const rows = Object.entries(parts.configuration.properties).map(settingRow);
	isPart('settings', ['| setting | values | default | set in | meaning |', '| --- | --- | --- | --- | --- |', ...rows, ''].join('\n'));
});

test('the page has every colour', () => {
	const rows = parts.colors.map(({ id, description }) => `| \`${id}\` | ${description} |`);
	isPart('colours', ['| colour | what it colours |', '| --- | --- |', ...rows, ''].join('\n'));
});
