import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, entriesOf } from '../src/core/history';
import { Transcript } from '../src/core/transcript';

const conversation = {
	conversation: 'c1', updated: '2026-03-09T10:00:00Z', request: 'mend it', count: 2, summary: 'They met.',
	exchanges: [{ at: '2026-03-09T09:00:00Z', request: 'mend it', answer: 'Mended.', plan: 3, trace: '0a1b2c3d-t1' }, { at: '2026-03-09T10:00:00Z', request: 'why?', answer: 'So.' }],
};

test('an earlier conversation is shown with its summary, its plans and its traces, and replaces what was there', () => {
	const t = new Transcript();
	t.sent('t1', 'another');
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done' });
	t.apply({ kind: 'turn.started', turn: 't2', summary: 'it runs' });
	t.open(entriesOf(conversation));
	assert.deepEqual(t.all().map((e) => (e.kind === 'note' ? e.text : [e.request, e.answer, e.plan, e.trace, e.state])),
		['Earlier, in short: They met.', ['mend it', 'Mended.', 3, '0a1b2c3d-t1', 'done'], ['why?', 'So.', undefined, undefined, 'done'], ['it runs', '', undefined, undefined, 'running']]);
	assert.equal(new Set(t.all().map((e) => e.id)).size, 4);
});

test('the time of a conversation is short', () => {
	const now = new Date(2026, 2, 9, 12, 0);
	const said = (...at: [number, number, number, number?, number?]) => ago(new Date(...at).toISOString(), now);
	assert.deepEqual([said(2026, 2, 9, 9, 5), said(2026, 2, 8, 23), said(2026, 2, 5), said(2025, 11, 31)], ['09:05', 'yesterday', '4 days ago', '2025-12-31']);
});
