import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Restarts } from '../src/core/restarts';
import { type Situation, statusOf } from '../src/core/status';

const calm: Situation = { server: 'running', doing: [], waiting: 0, trusted: true };

test('the status bar tells what is most urgent', () => {
	const text = (more: Partial<Situation>) => statusOf({ ...calm, ...more }).text;
	assert.equal(text({}), '$(edit) Redline');
	assert.equal(text({ waiting: 3 }), '$(diff) Redline: 3 changes');
	assert.equal(text({ waiting: 3, doing: ['reads a.go'] }), '$(sync~spin) Redline: reads a.go');
	assert.equal(text({ doing: ['x', 'y'] }), '$(sync~spin) Redline: y (2 turns)');
	assert.equal(text({ waiting: 3, server: 'failed' }), '$(error) Redline');
	assert.match(statusOf({ ...calm, trusted: false }).tooltip, /not trusted/);
});

test('what a model calls cannot draw icons or fill the bar', () => {
	const { text } = statusOf({ ...calm, doing: ['$(bug) ' + 'x'.repeat(100)] });
	assert.ok(!text.includes('$(bug)') && text.length < 70, text);
});

test('a server that keeps ending is not started for ever', () => {
	const restarts = new Restarts();
	const minute = 60_000;
	assert.deepEqual([0, 1, 2, 3, 4].map((n) => restarts.another(n)), [true, true, true, true, false]);
	assert.equal(restarts.another(10 * minute), true, 'what is long ago does not count');
	restarts.forget();
	assert.equal(restarts.another(10 * minute), true);
});
