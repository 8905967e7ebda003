import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../src/core/board';
import { Transcript } from '../src/core/transcript';
import { besideCard, changedBy, choiceIn, madeBy, workerLabel, workers } from '../src/core/worker';
import { read } from '../src/chat/messages';
import { plan } from './plans';

const codex = { name: 'codex', program: '/usr/bin/codex' }, pi = { name: 'pi', program: '/usr/bin/pi', default: true };

test('the user’s choice works, else the default, else the model', () => {
	assert.deepEqual(workers([], 'codex'), { agents: [], chosen: 'model', model: '' });
	assert.deepEqual(workers([codex], undefined), { agents: ['codex'], chosen: 'model', model: '' });
	assert.equal(workers([codex, pi], undefined).chosen, 'pi');
	assert.equal(workers([codex, pi], 'model').chosen, 'model');
	assert.equal(workers([codex, pi], 'codex').chosen, 'codex');
	assert.equal(workers([codex, pi], 'gone').chosen, 'pi');
});

test('the chooser names the model in use, and the agents', () => {
	const { model } = workers([codex], undefined, { provider: 'openai', name: 'gpt-large' });
	assert.deepEqual(['model', 'codex'].map((name) => workerLabel(name, model)), ['gpt-large', 'codex, in a copy']);
	assert.equal(workers([], undefined, { provider: 'builtin', name: 'builtin' }).model, 'Built-in model');
});

test('a message can choose who works', () => {
	assert.equal(choiceIn('/with codex'), 'codex');
	assert.equal(choiceIn(' /with model \n'), 'model');
	for (const none of ['/with', 'talk /with codex', '/without codex', '/with codex now']) {
		assert.equal(choiceIn(none), undefined, none);
	}
});

test('the page names who works only as a text', () => {
	assert.deepEqual(read({ type: 'send', text: 'x', with: 'codex' }), { type: 'send', text: 'x', with: 'codex' });
	assert.deepEqual(read({ type: 'send', text: 'x', with: 1 }), { type: 'send', text: 'x' });
});

test('what an agent does in its copy is shown while it does it', () => {
	const board = new Board(), transcript = new Transcript();
	const events = [
		{ kind: 'turn.started', turn: 't1', summary: 'mend it' },
		{ kind: 'outside', turn: 't1', step: { summary: 'codex runs go test ./...' } },
		{ kind: 'outside', turn: 't1', stream: 'stdout', text: 'ok\n' },
	];
	for (const event of events) {
		board.apply(event);
		transcript.apply(event);
	}
	assert.equal(board.running()[0]?.doing, 'codex runs go test ./...');
	const [entry] = transcript.all();
	assert.ok(entry?.kind === 'turn');
	assert.deepEqual([entry.doing, entry.output], ['codex runs go test ./...', 'ok\n']);

	// Once it is done its answer says it, or why it failed.
	transcript.apply({ kind: 'turn.finished', turn: 't1', state: 'done', answer: 'It is mended.' });
	assert.deepEqual([entry.doing, entry.output, entry.answer], ['', '', 'It is mended.']);
	transcript.apply({ kind: 'outside', turn: 't2', stream: 'stderr', text: 'not signed in\n' });
	transcript.apply({ kind: 'turn.finished', turn: 't2', state: 'failed', error: 'codex failed.' });
	const failed = transcript.all()[1];
	assert.ok(failed?.kind === 'turn' && failed.output === 'not signed in\n');
});

test('a plan of a program says who made it and what it lacks, once', () => {
	const lacks = 'Not carried: logo.png (it is no UTF-8 text). Make this change yourself.';
	const made = plan(1, [], { by: 'codex', unfinished: [lacks] });
	assert.equal(madeBy(made), 'Made by codex in a copy');
	assert.equal(besideCard(`Made by codex in a copy of the workspace.\n\nIt is mended.\n\n${lacks}`, made), 'It is mended.');
	const revision = (number: number, author: string) => ({ revision: number, author, created: '' });
	assert.equal(changedBy(plan(1, [], { revision: 2, revisions: [revision(1, 'model'), revision(2, 'user')] })), 'Revision 2, changed by you');
	assert.equal(changedBy(plan(1, [], { revision: 2, revisions: [revision(1, 'user'), revision(2, 'model')] })), undefined);
	for (const by of [undefined, 'model', 'user']) {
		const other = plan(1, [], { ...(by !== undefined && { by }) });
		assert.equal(madeBy(other), undefined);
		assert.equal(besideCard(`It is mended.\n\n${lacks}`, other), `It is mended.\n\n${lacks}`);
	}
});
