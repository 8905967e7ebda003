// Writes the extension as a .vsix file. With --target PLATFORM (linux-x64, darwin-arm64, win32-x64 …) the server for
// that platform is built and put into it, or the one that --program FILE names; --out FILE says where the file goes.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';

const targets = {
	'linux-x64': ['linux', 'amd64'], 'linux-arm64': ['linux', 'arm64'], 'darwin-x64': ['darwin', 'amd64'],
	'darwin-arm64': ['darwin', 'arm64'], 'win32-x64': ['windows', 'amd64'], 'win32-arm64': ['windows', 'arm64'],
};
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const target = option('--target');
const out = option('--out');
const program = option('--program');

rmSync('server', { recursive: true, force: true });
if (target !== undefined) {
	const [os, arch] = targets[target] ?? [];
	if (!os) {
		console.error(`package: there is no target ${target}; use one of ${Object.keys(targets).join(', ')}`);
		process.exit(2);
	}
	mkdirSync('server');
	const name = `redline${os === 'windows' ? '.exe' : ''}`;
	if (program !== undefined) {
		copyFileSync(program, `server/${name}`);
	} else {
		execFileSync('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', `editors/vscode/server/${name}`, './cmd/redline'],
			{ cwd: '../..', env: { ...process.env, GOOS: os, GOARCH: arch, CGO_ENABLED: '0' }, stdio: 'inherit' });
	}
}
const args = ['package', '--no-dependencies', '--allow-missing-repository', ...(target ? ['--target', target] : []), ...(out ? ['--out', out] : [])];
execFileSync('node_modules/.bin/vsce', args, { stdio: 'inherit' });
rmSync('server', { recursive: true, force: true });
