import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../src/core/board';
import { Transcript } from '../src/core/transcript';
import { choiceIn, workers } from '../src/core/worker';
import { read } from '../src/chat/messages';

const codex = { name: 'codex', program: '/usr/bin/codex' }, pi = { name: 'pi', program: '/usr/bin/pi', default: true };

test('the user’s choice works, else the default, else the model', () => {
	assert.deepEqual(workers([], 'codex'), { agents: [], chosen: 'model' });
	assert.deepEqual(workers([codex], undefined), { agents: ['codex'], chosen: 'model' });
	assert.equal(workers([codex, pi], undefined).chosen, 'pi');
	assert.equal(workers([codex, pi], 'model').chosen, 'model');
	assert.equal(workers([codex, pi], 'codex').chosen, 'codex');
	assert.equal(workers([codex, pi], 'gone').chosen, 'pi');
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
});
