import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findServer, type Machine } from '../src/core/binary';

const machine = (programs: string[], more: Partial<Machine> = {}): Machine => ({
	platform: 'linux', home: '/home/u', path: '/usr/bin:/opt/bin', extension: '/ext', runs: (f) => programs.includes(f), ...more,
});

test('the setting goes before the extension, and that before PATH', () => {
	const all = machine(['/my/redline', '/opt/bin/redline', '/ext/bin/redline']);
	assert.deepEqual(findServer('/my/redline', all), { program: '/my/redline', from: 'setting' });
	assert.deepEqual(findServer('', all), { program: '/ext/bin/redline', from: 'extension' });
	assert.deepEqual(findServer('', machine(['/opt/bin/redline'])), { program: '/opt/bin/redline', from: 'PATH' });
});

test('~ is the home directory', () => {
	assert.deepEqual(findServer('~/bin/redline', machine(['/home/u/bin/redline'])), { program: '/home/u/bin/redline', from: 'setting' });
});

test('a setting that names nothing is said, and nothing else is started', () => {
	for (const setting of ['/no/such', 'redline', './redline']) {
		const found = findServer(setting, machine(['/opt/bin/redline', 'redline', './redline']));
		assert.ok('problem' in found && found.problem.includes('redline.server.path') && found.problem.includes(setting), JSON.stringify(found));
	}
});

test('a relative folder of PATH does not count: a workspace could fill it', () => {
	const found = findServer('', machine(['./redline', 'bin/redline', '/redline'], { path: '.:bin::' }));
	assert.ok('problem' in found);
});

test('Windows has its own separators and names', () => {
	const windows = machine(['C:\\tools\\redline.exe'], { platform: 'win32', path: 'bin;C:\\tools\\', extension: 'C:\\ext' });
	assert.deepEqual(findServer('', windows), { program: 'C:\\tools\\redline.exe', from: 'PATH' });
	const own = machine(['C:\\tools\\redline.exe', 'C:\\ext\\bin\\redline.exe']);
	assert.deepEqual(findServer('', { ...own, platform: 'win32', path: 'C:\\tools', extension: 'C:\\ext' }), { program: 'C:\\ext\\bin\\redline.exe', from: 'extension' });
});

test('the folders of Go, Homebrew and Scoop are looked at after PATH', () => {
	const from = (program: string, more: Partial<Machine> = {}) => findServer('', machine([program], more));
	for (const folder of ['/home/u/go/bin', '/home/u/.local/bin', '/opt/homebrew/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin']) {
		assert.deepEqual(from(`${folder}/redline`, { path: '' }), { program: `${folder}/redline`, from: 'folder' });
	}
	assert.deepEqual(from('/gobin/redline', { goBin: '/gobin/' }), { program: '/gobin/redline', from: 'folder' });
	assert.deepEqual(from('/two/bin/redline', { goPath: '/one:/two' }), { program: '/two/bin/redline', from: 'folder' });
	assert.deepEqual(findServer('', machine(['/opt/bin/redline', '/home/u/go/bin/redline'])), { program: '/opt/bin/redline', from: 'PATH' });
	const windows: Partial<Machine> = { platform: 'win32', home: 'C:\\Users\\u', path: '', goPath: 'D:\\go;E:\\go', extension: 'C:\\ext' };
	for (const folder of ['C:\\Users\\u\\scoop\\shims', 'C:\\Users\\u\\go\\bin', 'E:\\go\\bin']) {
		assert.deepEqual(findServer('', machine([`${folder}\\redline.exe`], windows)), { program: `${folder}\\redline.exe`, from: 'folder' });
	}
});

test('a relative GOBIN or GOPATH does not count: a workspace could fill it', () => {
	const found = findServer('', machine(['bin/redline', './bin/redline', 'redline'], { goBin: 'bin', goPath: '.:' }));
	assert.ok('problem' in found);
});
