import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromKept, toKeep } from '../src/core/keep';
import { type Entry, Transcript } from '../src/core/transcript';

const turn = (n: number, more: object = {}): Entry => ({ kind: 'turn', id: `c1-t${n}`, turn: `t${n}`, request: `r${n}`, answer: `a${n}`, steps: [], doing: '', thinking: '', state: 'done', notes: [], output: '', ...more });

test('a chat is kept and read again', () => {
	const entries = [turn(1, { plan: 3, trace: '0a1b2c3d-t1' }), turn(2, { state: 'failed', error: 'no', notes: ['not saved yet'] }), turn(3, { question: { text: 'which?', options: ['a'] } })];
	const kept = fromKept(JSON.parse(JSON.stringify(toKeep(entries, 'c9'))));
	assert.equal(kept.conversation, 'c9');
	assert.deepEqual(kept.entries.map((e) => ({ ...e, id: '', turn: '' })), entries.map((e) => ({ ...e, id: '', turn: '' })));
});

test('what the model thought is not kept, who worked is', () => {
	const kept = fromKept(JSON.parse(JSON.stringify(toKeep([turn(1, { model: 'gpt', agent: 'reviewer', thinking: 'zebra', steps: [{ thought: 'zebra', took: 4 }, { did: 'read a.go', took: 2 }, { thought: 'zebra', took: 0 }] })], 'c9'))));
	assert.ok(!JSON.stringify(kept).includes('zebra'));
	assert.deepEqual(kept.entries.map((e) => e.kind === 'turn' && [e.model, e.agent, e.steps]), [['gpt', 'reviewer', [{ did: 'thought for 4 s' }, { did: 'read a.go', took: 2 }, { did: 'thought' }]]]);
});

test('what is kept is bounded, and it is the end', () => {
	const many = toKeep(Array.from({ length: 500 }, (_, i) => turn(i)), undefined);
	assert.deepEqual([many.entries.length, many.entries.at(-1)], [60, turn(499)]);
	const large = toKeep(Array.from({ length: 50 }, (_, i) => turn(i, { answer: 'x'.repeat(100_000) })), undefined);
	assert.ok(JSON.stringify(large).length < 220_000 && large.entries.length > 5, String(large.entries.length));
});

test('what another version has kept does no harm', () => {
	for (const value of [undefined, null, 3, 'x', [], { entries: 1 }, { conversation: 1, entries: [null, 1, { kind: 'other' }] }]) {
		assert.deepEqual(fromKept(value), { entries: [] });
	}
	assert.deepEqual(fromKept({ entries: [{ kind: 'turn', plan: 'x', question: { text: 1 } }] }).entries.map((e) => e.kind), ['turn']);
});

test('what is restored comes first and runs no more', () => {
	const t = new Transcript();
	t.connected();
	t.restore([turn(1, { state: 'running', doing: 'reads' })]);
	t.apply({ kind: 'turn.started', turn: 't1', summary: 'now' });
	assert.deepEqual(t.all().map((e) => e.kind === 'turn' && [e.request, e.state]), [['r1', 'interrupted'], ['now', 'running']]);
});

test('a new conversation begins with its turn', () => {
	const t = new Transcript();
	t.sent('t1', 'before');
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done' });
	t.sent('t2', '/new');
	t.anew('t2');
	assert.deepEqual(t.all().map((e) => e.kind === 'turn' && e.request), ['/new']);
});
