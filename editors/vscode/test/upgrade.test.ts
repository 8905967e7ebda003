import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isTooOld, tooOld, upgradeOf } from '../src/core/upgrade';

test('a lower version is too old; the same, a higher one and a build from a checkout are not', () => {
	for (const version of ['1.1.9', '0.9.9', '1.1.10', '0.12.0', 'v1.1.0', '1.1.9-rc.1']) {
		assert.ok(isTooOld(version, '>=1.2.0'), version);
	}
	for (const version of ['1.2.0', '1.2.0-rc.1', '1.2.1', '1.10.0', '2.0.0', '10.0.0', '0.1.0-dev', '0.1.0-dev+1a2b3c', '', 'unknown', '1.1']) {
		assert.ok(!isTooOld(version, '>=1.2.0'), version);
	}
	assert.ok(!isTooOld('0.0.1', ''), 'nothing is needed');
});

test('the command to upgrade is that of the package manager that has the program', () => {
	const page = 'https://x.example/';
	for (const [program, command] of [
		['/usr/lib/node_modules/redline-lsp/node_modules/@redline/linux-x64/redline', 'npm install -g redline-lsp@latest'],
		['/n/node_modules/@me/redline/bin/redline', 'npm install -g @me/redline@latest'],
		['C:\\n\\node_modules\\@me\\redline\\redline.exe', 'npm install -g @me/redline@latest'],
		['/opt/homebrew/Cellar/redline/0.1.0/bin/redline', 'brew upgrade redline'],
		['C:\\Users\\u\\scoop\\shims\\redline.exe', 'scoop update redline'],
		['C:\\Users\\u\\scoop\\apps\\redline\\0.1.0\\redline.exe', 'scoop update redline'],
		['/home/u/.local/share/pipx/venvs/redline-lsp/bin/redline', 'pipx upgrade redline-lsp'],
		['/home/u/.local/share/uv/tools/redline-lsp/bin/redline', 'uv tool upgrade redline-lsp'],
		['/nix/store/1a2b3c-redline-0.1.0/bin/redline', 'nix profile upgrade redline'],
	] as const) {
		assert.deepEqual(upgradeOf(program, page), { command }, program);
	}
	for (const program of ['/usr/bin/redline', '/home/u/go/bin/redline', '/x/node_modules/a; rm -rf b/redline', '']) {
		assert.deepEqual(upgradeOf(program, page), { page }, program);
		assert.deepEqual(upgradeOf(program, undefined), {}, program);
	}
});

test('the message says both versions and what to do', () => {
	const begin = 'Redline 0.0.9 is too old for this extension, which needs 1.2.0 or later. ';
	assert.equal(tooOld('0.0.9', '>=1.2.0', { command: 'brew upgrade redline' }), begin + 'Upgrade it with `brew upgrade redline`.');
	assert.equal(tooOld('0.0.9', '>=1.2.0', { page: 'https://x.example/' }), begin + 'Upgrade it as https://x.example/ says.');
	assert.equal(tooOld('0.0.9', '>=1.2.0', {}), begin + 'Upgrade it the way you installed it.');
});

test('package.json says which version the extension needs: none that is newer than itself', () => {
	const { version, redlineServer } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string; redlineServer: string };
	assert.match(redlineServer, /^>=\d+\.\d+\.\d+$/);
	assert.ok(!isTooOld(version, redlineServer));
});
