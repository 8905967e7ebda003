import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

interface Manifest {
	activationEvents: string[];
	publisher: string;
	license: string;
	icon: string;
	categories: string[];
	keywords: string[];
	galleryBanner: { color: string };
	capabilities: { untrustedWorkspaces: { supported: unknown } };
	contributes: {
		commands: { command: string }[];
		keybindings: { command: string }[];
		menus: Record<string, { command: string }[]>;
		configuration: { properties: Record<string, { scope: string }> };
	};
	dependencies?: object;
	devDependencies: Record<string, string>;
}
/** Contribution points and menus that stable VS Code has: others need a proposal, such as editor/content or multiDiffEditor/resource/title. */
const stable = ['commands', 'keybindings', 'menus', 'submenus', 'viewsContainers', 'views', 'viewsWelcome', 'configuration', 'configurationDefaults', 'colors', 'walkthroughs', 'resourceLabelFormatters'];
const stableMenus = ['commandPalette', 'view/title', 'view/item/context', 'editor/title', 'editor/context', 'redline.editor'];

const manifest = JSON.parse(read('package.json')) as Manifest;

test('a workspace cannot set what starts a program, sends code elsewhere or writes it down', () => {
	const { properties } = manifest.contributes.configuration;
	const ofWorkspaces = Object.keys(properties).filter((name) => properties[name]?.scope !== 'machine');
	assert.deepEqual(ofWorkspaces, ['redline.newPlan', 'redline.decorations', 'redline.inlineChanges'], 'is the new setting harmless? then name it here');
	assert.ok('redline.server.path' in properties && 'redline.server.environment' in properties && 'redline.trace.server' in properties && 'redline.model.baseUrl' in properties && 'redline.model.provider' in properties);
});

test('a workspace that is not trusted is only looked at', () => {
	assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
	const [, set = ''] = /const harmless = new Set\(\[([^\]]*)\]\)/.exec(read('src/requests.ts')) ?? [];
	assert.deepEqual(set.match(/redline\.\w+/g), ['redline.show', 'redline.state', 'redline.cancel', 'redline.complete', 'redline.hunks']);
});

test('a file system is there when an editor of it is opened again with the window', () => {
	const [, scheme = ''] = /scheme = '([^']+)'/.exec(read('src/ui/proposed.ts')) ?? [];
	assert.ok(manifest.activationEvents.includes(`onFileSystem:${scheme}`), scheme);
});

test('every command is there, and what keys and menus name is one', () => {
	const declared = manifest.contributes.commands.map((c) => c.command).sort();
	const src = new URL('src/commands/', folder);
	const defined = readdirSync(src).map((name) => readFileSync(new URL(name, src), 'utf8')).join('');
	assert.deepEqual(declared.filter((name) => !new RegExp(`[\\t ]${name.replace('redline.ui.', '')}: (?:async )?\\(`).test(defined)), []);
	const named = [...manifest.contributes.keybindings, ...Object.values(manifest.contributes.menus).flat()].flatMap((m) => (m.command ? [m.command] : []));
	assert.deepEqual(named.filter((name) => !declared.includes(name)), []);
});

test('a step of the walkthrough is ticked when it was done, not when its command was only called', () => {
	const { walkthroughs } = (JSON.parse(read('package.json')) as { contributes: { walkthroughs: { steps: { completionEvents: string[] }[] }[] } }).contributes;
	const events = walkthroughs.flatMap(({ steps }) => steps.flatMap((step) => step.completionEvents));
	assert.ok(events.length >= 5);
	for (const event of events) {
		const [, key = ''] = /^onContext:(redline\.\w+)/.exec(event) ?? [];
		assert.ok(read('src/ui/statusbar.ts').includes(`key('${key}'`) || read('src/ui/here.ts').includes(`key('${key}'`), event);
		// VS Code never ticks what was so before it has first read the walkthrough, so the page itself is a second event.
		assert.ok(event.includes('activeEditor') || events.includes(`${event} && activeEditor == 'gettingStartedPage'`), event);
	}
});

test('no proposed API is used: stable VS Code refuses it', () => {
	assert.deepEqual(Object.keys(manifest).filter((field) => /proposal|proposed/i.test(field)), []);
	assert.deepEqual(Object.keys(manifest.devDependencies).filter((name) => /dts|proposed/.test(name)), [], 'only the stable types');
	assert.ok(Object.keys(manifest.contributes).every((point) => stable.includes(point)), 'is the new contribution point stable? then name it above');
	assert.ok(Object.keys(manifest.contributes.menus).every((menu) => stableMenus.includes(menu)), 'is the new menu stable? then name it above');
});

test('dependencies are pinned, and at run time there is the bundle alone', () => {
	assert.equal(manifest.dependencies, undefined);
	assert.deepEqual(Object.entries(manifest.devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)), []);
	const imported = new Set<string>();
	const src = new URL('src/', folder);
	for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((n) => n.endsWith('.ts'))) {
		for (const [, from = ''] of readFileSync(new URL(name, src), 'utf8').matchAll(/from '([^.'][^']*)'/g)) {
			imported.add(from);
		}
	}
	assert.deepEqual([...imported].filter((name) => name !== 'vscode' && !name.startsWith('node:')), ['vscode-languageclient/node']);
});

test('what a registry shows is there, and every address comes from the project’s file when it is packed', () => {
	assert.doesNotMatch(read('package.json'), /https?:|git@|example\.org/);
	const project = JSON.parse(read('../../packaging/project.json')) as { publisher: string; licence: string };
	assert.deepEqual([manifest.publisher, manifest.license], [project.publisher, project.licence]);
	assert.ok(manifest.categories.length > 0 && manifest.keywords.length > 0 && manifest.keywords.length <= 30 && /^#[0-9a-f]{6}$/.test(manifest.galleryBanner.color));
	const icon = readFileSync(new URL(manifest.icon, folder));
	assert.ok(icon.readUInt32BE(16) >= 128 && icon.readUInt32BE(20) >= 128, 'the icon has at least 128 pixels each way');
	assert.equal(read('LICENSE'), read('../../LICENSE'));
});

test('the workbench is driven with the keyboard, and with the mouse only where lenses are what is tested', () => {
	const e2e = new URL('e2e/', folder);
	for (const name of readdirSync(e2e).filter((file) => !['eightsteps.ts', 'comparing.ts', 'rewrite.ts'].includes(file))) {
		assert.doesNotMatch(readFileSync(new URL(name, e2e), 'utf8'), /\.(?:dbl)?click\(|\.mouse\b|\.hover\(|\.tap\(/, name);
	}
});
