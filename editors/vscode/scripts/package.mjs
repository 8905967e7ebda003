// Writes the extension as .vsix files. The same sources and the same program make the same bytes.
//   node scripts/package.mjs [--out FILE]                              for every platform, without the program
//   node scripts/package.mjs --target PLATFORM [--program FILE] [--out FILE]
//                                                                      with the program for linux-x64, darwin-arm64, win32-x64 …,
//                                                                      which Go builds unless it is given
//   node scripts/package.mjs --release VERSION --out DIR [--programs DIR] [--licences FILE]
//                                                                      the first, and one of the second for each program in
//                                                                      DIR/{linux,darwin,windows}_{amd64,arm64}; --licences has
//                                                                      the licences of what the program contains
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVSIX } from '@vscode/vsce';
import { stage } from './stage.mjs';

const targets = {
	'linux-x64': ['linux', 'amd64'], 'linux-arm64': ['linux', 'arm64'], 'darwin-x64': ['darwin', 'amd64'],
	'darwin-arm64': ['darwin', 'arm64'], 'win32-x64': ['windows', 'amd64'], 'win32-arm64': ['windows', 'arm64'],
};

/** The time of every file in a package, unless SOURCE_DATE_EPOCH says another: the first that a .zip can have. */
process.env['SOURCE_DATE_EPOCH'] ??= String(Date.UTC(1980, 0, 1) / 1000);
process.env['TZ'] = 'UTC'; // a .zip has local times

const { values: options } = parseArgs({ options: Object.fromEntries(['target', 'program', 'out', 'release', 'programs', 'licences'].map((name) => [name, { type: 'string' }])) });
const [program, out, programs, licences] = [options.program, options.out, options.programs, options.licences].map((path) => path && resolve(path));

if (options.target !== undefined && !(options.target in targets)) {
	fail(`there is no target ${options.target}; use one of ${Object.keys(targets).join(', ')}`);
}
if (options.release !== undefined && (out === undefined || !/^\d+\.\d+\.\d+$/.test(options.release))) {
	fail('--release needs a version of three numbers, and --out');
}
process.chdir(join(import.meta.dirname, '..'));
const temporary = mkdtempSync(join(tmpdir(), 'redline-package-'));
try {
	execFileSync('node', ['esbuild.mjs', '--production'], { stdio: 'inherit' });
	if (options.release === undefined) {
		await one(options.target, program ?? (options.target && build(options.target)), out ?? resolve(fileName(options.target, version())));
	} else {
		await release(options.release);
	}
} finally {
	rmSync(temporary, { recursive: true, force: true });
}

/** Writes the packages of a release. */
async function release(version) {
	mkdirSync(out, { recursive: true });
	await one(undefined, undefined, join(out, fileName(undefined, version)), version);
	for (const [target, platform] of Object.entries(targets)) {
		const file = programs && join(programs, platform.join('_'), programName(target));
		if (file && existsSync(file)) {
			await one(target, file, join(out, fileName(target, version)), version);
		}
	}
}

/** Writes one package. */
async function one(target, program, file, version) {
	const folder = join(temporary, 'extension');
	stage(folder, { version, ...(program && { program: { file: program, name: programName(target) }, licences }) });
	mkdirSync(dirname(file), { recursive: true });
	await createVSIX({ cwd: folder, target, packagePath: file, dependencies: false });
}

/** Builds the program for a platform, and returns its path. */
function build(target) {
	const file = join(temporary, programName(target));
	const [GOOS, GOARCH] = targets[target];
	execFileSync('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', file, './cmd/redline'],
		{ cwd: '../..', env: { ...process.env, GOOS, GOARCH, CGO_ENABLED: '0' }, stdio: 'inherit' });
	return file;
}

function programName(target) {
	return `redline${target.startsWith('win32') ? '.exe' : ''}`;
}

function fileName(target, version) {
	return `redline-${target ? `${target}-` : ''}${version}.vsix`;
}

function version() {
	return JSON.parse(readFileSync('package.json', 'utf8')).version;
}

function fail(why) {
	console.error(`package: ${why}`);
	process.exit(2);
}
