import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readModels } from '../src/core/setup';
import { askProgram } from '../src/program';

const dir = mkdtempSync(join(tmpdir(), 'redline-program-'));
after(() => rmSync(dir, { recursive: true }));

/** A program that is a script of the shell. */
function program(script: string): string {
	const file = join(dir, `p${Math.random()}`);
	writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return file;
}

const subject = { provider: 'other', baseUrl: 'http://x/v1', key: 'sk-1' };
const ask = (script: string, of = subject, signal?: AbortSignal) => askProgram(program(script), { REDLINE_STATE_DIR: '/state' }, ['--models'], of, readModels, signal);
const onUnix = { skip: process.platform === 'win32' };

test('the key goes to the program by its environment, and by no argument', onUnix, async () => {
	const tell = 'printf \'{"models":["%s","key:%s","%s"]}\' "$*" "$REDLINE_API_KEY" "$REDLINE_STATE_DIR"';
	assert.deepEqual(await ask(tell), ['setup --json --models --provider other --base-url http://x/v1 --api-key-env REDLINE_API_KEY', 'key:sk-1', '/state']);
	const [words, key] = (await ask(tell, { provider: 'ollama', baseUrl: '', key: '' })) as string[];
	assert.deepEqual([words, key], ['setup --json --models --provider ollama', `key:${process.env['REDLINE_API_KEY'] ?? ''}`]);
});

test('an error is its sentence without the key, whatever the program writes besides', onUnix, async () => {
	assert.deepEqual(await ask('echo noise sk-1 >&2; echo \'{"error":"The key sk-1 is refused."}\'; exit 1'), { error: 'The key … is refused.' });
	const old = (await ask('echo "unknown command setup" >&2; exit 2')) as { error: string };
	assert.match(old.error, /Install a newer one/);
	const missing = (await askProgram(join(dir, 'none'), {}, ['--models'], subject, readModels)) as { error: string };
	assert.match(missing.error, /redline/);
});

test('a test that is cancelled ends its program', onUnix, async () => {
	const abort = new AbortController();
	const asked = ask('exec sleep 600', subject, abort.signal);
	abort.abort();
	assert.deepEqual(await asked, { error: 'Cancelled.' });
});
