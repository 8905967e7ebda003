import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quiet } from '../src/core/quiet';

const applied = 'Redline: plan 2: 1 change in 1 file applied. Not saved yet: a.go';

test('the outcome of a decision on a change is no news, and that of a plan is', async () => {
	let now = 0;
	const quiet = new Quiet(() => now);
	assert.equal(quiet.isKnown(applied), false, 'nothing was decided here');
	await quiet.during({ plan: 2, path: 'a.go', hunk: 'h1' }, () => {
		assert.equal(quiet.isKnown(applied), true, 'it can come before the answer');
		return Promise.resolve();
	});
	assert.equal(quiet.isKnown(applied), true, 'and after it');
	assert.equal(quiet.isKnown(applied.replace('plan 2', 'plan 3')), false);
	assert.equal(quiet.isKnown('Redline: plan 2: it cannot be told whether it was applied.'), false);
	assert.equal(quiet.isKnown('Redline: `go test` failed (exit 1)'), false);
	now = 10_000;
	assert.equal(quiet.isKnown(applied), false, 'but not for long');
	await quiet.during({ plan: 2, path: 'a.go' }, () => Promise.resolve());
	assert.equal(quiet.isKnown(applied), true);
	await quiet.during({ plan: 2 }, () => Promise.resolve());
	assert.equal(quiet.isKnown(applied), false, 'a whole plan was decided on after it');
});

test('a decision that fails is over too', async () => {
	let now = 0;
	const quiet = new Quiet(() => now);
	await assert.rejects(quiet.during({ plan: 2, path: 'a.go' }, () => Promise.reject(new Error('no'))));
	now = 10_000;
	assert.equal(quiet.isKnown(applied), false);
});
