import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Spoken } from '../src/core/spoken';
import type { TurnEntry } from '../src/core/transcript';
import { file, hunk, plan } from './plans';

const turn: TurnEntry = { kind: 'turn', id: '1-t1', turn: 't1', request: 'why?', answer: '', steps: [], doing: '', thinking: '', state: 'running', notes: [], output: '' };

test('an answer is read once, when it is whole', () => {
	const spoken = new Spoken();
	assert.equal(spoken.entry(turn), 'Redline is working');
	assert.equal(spoken.entry({ ...turn, doing: 'read a.go', answer: 'It is' }), '', 'neither each step nor each word');
	assert.equal(spoken.entry({ ...turn, state: 'done', answer: 'It is so.' }), 'It is so.');
	assert.equal(spoken.entry({ ...turn, state: 'done', answer: 'It is so.', trace: 'x' }), '');
});

test('a question is read with its answers, and a failure with its reason', () => {
	const spoken = new Spoken();
	assert.equal(spoken.entry({ ...turn, state: 'waiting', question: { text: 'Which?', options: ['This', 'That'] } }), 'Which?. This, That');
	assert.equal(spoken.entry({ ...turn, state: 'failed', error: 'No such model.' }), 'No such model.');
	assert.equal(spoken.entry({ kind: 'note', id: 'n1', text: 'Not saved yet: a.go.', tone: 'info' }), 'Not saved yet: a.go.');
});

test('a plan is read when it has another state, and what is there at first is not', () => {
	const spoken = new Spoken();
	const p = plan(1, [file('a.go', [hunk('h1', 1, 2, 1), hunk('h2', 5, 1, 0)])]);
	assert.equal(spoken.plan({ ...p, plan: 0, state: 'drafting' }), '');
	assert.equal(spoken.plan(p), 'Plan 1 waits for you, 1 file, +3 −1, 2 changes to decide');
	assert.equal(spoken.plan({ ...p }), '');
	assert.match(spoken.plan({ ...p, files: [file('a.go', [hunk('h1', 1, 2, 1, 'applied'), hunk('h2', 5, 1, 0)])] }), /1 change to decide$/);
	spoken.reset([{ ...turn, state: 'done', answer: 'Yes.' }], [p]);
	assert.deepEqual([spoken.entry({ ...turn, state: 'done', answer: 'Yes.' }), spoken.plan(p)], ['', '']);
});
