import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');

/** Runs tests as those of the workbench are run. A test is a name and what it does; `again` counts from 0 how often it was run. */
function run(tests: Record<string, string>): { status: number | null; output: string } {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'redline-again-'));
	try {
		const file = path.join(dir, 'a.test.mjs');
		fs.writeFileSync(file, `import { describe, test } from 'node:test';
import * as fs from 'node:fs';
const again = (name) => {
	const file = ${JSON.stringify(dir)} + '/' + name.replaceAll(' ', '-');
	fs.appendFileSync(file, '.');
	return fs.statSync(file).size - 1;
};
describe('VS Code', () => {
${Object.entries(tests).map(([name, code]) => `test(${JSON.stringify(name)}, () => { const name = ${JSON.stringify(name)}; ${code} });`).join('\n')}
});
`);
		const env = { ...process.env };
		delete env['NODE_TEST_CONTEXT'];
		const { status, stdout, stderr } = spawnSync('node', [path.join(root, 'scripts', 'e2e.mjs'), file], { env, encoding: 'utf8' });
		return { status, output: stdout + stderr };
	} finally {
		fs.rmSync(dir, { recursive: true, force: true });
	}
}

test('a test of the workbench that passes when it is run once more is flaky, and the run is good', () => {
	const { status, output } = run({ good: '', 'fails (once)': `const n = again(name); console.log('said in run', n); if (n === 0) throw new Error('the first time');` });
	assert.equal(status, 0, output);
	assert.match(output, /\nflaky: editors\/vscode fails \(once\)\n--- first run\nsaid in run 0\nError: the first time\n[^]*--- second run\nsaid in run 1\n/);
	assert.match(output, /\nflaky: 1 of the tests above failed and passed when run once more\n$/);
});

test('a test of the workbench that fails twice fails the run', () => {
	const { status, output } = run({ good: '', 'always fails': `throw new Error('as ever');`, 'fails once': `if (again(name) === 0) throw new Error('x');` });
	assert.equal(status, 1, output);
	assert.match(output, /editors\/vscode always fails has failed twice:\nError: as ever/);
	assert.match(output, /\nflaky: editors\/vscode fails once\n/);
});

test('tests of the workbench that pass are run once', () => {
	const { status, output } = run({ good: `if (again(name) > 0) throw new Error('again');` });
	assert.equal(status, 0, output);
	assert.doesNotMatch(output, /flaky|once more/);
});
