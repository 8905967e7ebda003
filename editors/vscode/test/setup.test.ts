import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
	about, answerOf, environmentOf, foundFirst, isPlain, type Provider, readModels, readProviders, readTested, resultOf, stepsOf, tokens, wantsSetup, without,
	withoutVariable, wrongAddress, wrongKey,
} from '../src/core/setup';

const provider = (id: string, more: Partial<Provider> = {}): Provider => ({
	id, name: id, baseUrl: `https://${id}.example/v1`, variable: `${id.toUpperCase()}_API_KEY`, needsKey: true, asksBaseUrl: false, local: false, found: false, ...more,
});

test('what the program answers is read, and what it does not say has a value', () => {
	const [read] = answerOf('{"providers":[{"id":"ollama","local":true,"found":true},{"name":"nameless"}]}\n', readProviders) as Provider[];
	assert.deepEqual(read, { id: 'ollama', name: 'ollama', baseUrl: '', variable: '', needsKey: false, asksBaseUrl: false, local: true, found: true });
	const [old] = answerOf('{"providers":[{"id":"x","base_url":"http://x","needs_key":true,"asks_base_url":true}]}', readProviders) as Provider[];
	assert.deepEqual(old, { id: 'x', name: 'x', baseUrl: 'http://x', variable: '', needsKey: true, asksBaseUrl: true, local: false, found: false });
	assert.deepEqual(answerOf('{"models":["a",3,"","b"]}', readModels), ['a', 'b']);
	assert.deepEqual(answerOf('{"ok":true,"answer":"hi"}', readTested), { answer: 'hi', tools: false, streaming: false, context: 0, warnings: [] });
});

test('an error of the program is its sentence; what is no answer is an old program', () => {
	assert.deepEqual(answerOf('{"error":"The key is refused."}', readModels), { error: 'The key is refused.' });
	for (const output of ['', 'unknown command "setup"', '[]', 'null', '{"models":7}', '{"ok":1}']) {
		const answer = answerOf<unknown>(output, output.includes('ok') ? readTested : readModels) as { error: string };
		assert.match(answer.error, /Install a newer one/, output);
	}
});

test('what is found comes first and says why, all else in the order of the program', () => {
	const all = [provider('openai'), provider('anthropic', { found: true }), provider('ollama', { local: true, needsKey: false, baseUrl: 'http://localhost:11434/v1', found: true }), provider('lmstudio', { local: true, needsKey: false }), provider('other', { asksBaseUrl: true }), provider('else', { asksBaseUrl: true, needsKey: false, found: true }), provider('builtin', { local: true, needsKey: false, baseUrl: '' })];
	assert.deepEqual(foundFirst(all).map((p) => `${p.id}: ${about(p)}`), [
		'anthropic: ANTHROPIC_API_KEY is set', 'ollama: answers at http://localhost:11434/v1', 'else: OPENAI_BASE_URL is set', 'openai: needs a key', 'lmstudio: on this machine', 'other: at an address that you enter', 'builtin: no key, no network',
	]);
});

test('a provider has the steps that it needs', () => {
	assert.deepEqual(stepsOf(provider('openai')), ['provider', 'key', 'model']);
	assert.deepEqual(stepsOf(provider('azure', { asksBaseUrl: true })), ['provider', 'address', 'key', 'model']);
	assert.deepEqual(stepsOf(provider('ollama', { local: true, needsKey: false })), ['provider', 'model']);
	assert.deepEqual(stepsOf(provider('builtin', { local: true, needsKey: false, baseUrl: '' })), ['provider']);
});

test('addresses and keys are looked at before they are used', () => {
	for (const address of ['', 'api.example.com', 'ftp://x/v1', 'javascript:alert(1)', 'http://']) {
		assert.match(wrongAddress(address) ?? '', /https:\/\//, address);
	}
	assert.equal(wrongAddress(' http://localhost:8080/v1 '), undefined);
	assert.deepEqual(['http://example.com/v1', 'http://10.0.0.1/v1', 'https://example.com', 'http://localhost:1/v1', 'http://127.0.0.1/v1', 'http://[::1]/v1', ''].map(isPlain), [true, true, false, false, false, false, false]);
	assert.ok(wrongKey(' ', true) && wrongKey('two words', true));
	assert.equal(wrongKey('', false), undefined);
	assert.equal(wrongKey(' sk-1 \n', true), undefined);
});

test('the result of a test is told in words', () => {
	assert.deepEqual([512, 8000, 32768, 40960, 128000, 131072, 200000, 1000000, 1048576, 1500000].map(tokens), ['512', '8k', '32k', '40k', '128k', '128k', '200k', '1M', '1M', '1.5M']);
	const good = { answer: 'Hello.', tools: true, streaming: true, context: 128000, warnings: [] };
	assert.equal(resultOf('gpt-x', good, 1234), 'gpt-x answered in 1.2 s. Tools work. Context: 128k.');
	assert.equal(resultOf('mini', { ...good, tools: false, context: 8192, warnings: ['It calls no tools: choose another.'] }, 90), 'mini answered in 0.1 s. Context: 8k. It calls no tools: choose another.');
	assert.equal(resultOf('mute', { ...good, answer: '', context: 0 }, 90), 'mute sent an empty answer after 0.1 s. Tools work.');
	assert.equal(resultOf('tiny', { ...good, tools: false, streaming: false, context: 0 }, 90), 'tiny answered in 0.1 s. It cannot call tools: it writes its edits as text, which fails more often. Its answers are not streamed.');
});

test('the server gets what was chosen by its environment, and nothing where nothing was', () => {
	assert.deepEqual(environmentOf({ provider: '', name: '', baseUrl: '' }, ''), {});
	assert.deepEqual(environmentOf({ provider: 'ollama', name: 'q', baseUrl: '' }, ''), { REDLINE_PROVIDER: 'ollama', REDLINE_MODEL: 'q' });
	assert.deepEqual(environmentOf({ provider: 'other', name: 'm', baseUrl: 'https://x/v1' }, 'k'), { REDLINE_PROVIDER: 'other', REDLINE_MODEL: 'm', REDLINE_BASE_URL: 'https://x/v1', REDLINE_API_KEY: 'k' });
});

test('a key is taken out of what is told', () => {
	assert.equal(without('sk-1', 'Incorrect key sk-1, sk-1.'), 'Incorrect key …, ….');
	assert.equal(without('', 'as it is'), 'as it is');
});

test('an error names no variable where a step is the way out', () => {
	assert.equal(withoutVariable('The model provider at x refused the key (401): check REDLINE_API_KEY, or run redline setup.'), 'The model provider at x refused the key (401).');
	assert.equal(withoutVariable('It cannot be listed: try again later.'), 'It cannot be listed: try again later.');
});

test('what is said about the model or its key offers the set-up, as the server words it', () => {
	const source = readFileSync('../../agent/model/errors.go', 'utf8') + readFileSync('../../agent/model/builtin_parse.go', 'utf8');
	for (const words of ['wants a key', 'refused the key', 'does not allow this request', 'does not know the model', 'cannot be reached', 'answered with a web page']) {
		assert.ok(source.includes(words), `the server does not say “${words}” any more`);
		assert.ok(wantsSetup(`Redline: The model provider at api.example.com ${words} (401): do something.`), words);
	}
	for (const start of ['The base URL of the model provider is not ', "I am Redline's built-in model."]) {
		assert.ok(source.includes(start));
		assert.ok(wantsSetup(`${start}an http or https address.`));
	}
	for (const other of ['The model provider at x is limiting requests (429): try again later.', 'The text says: refused the key.', 'plan 1 is ready']) {
		assert.ok(!wantsSetup(other), other);
	}
});
