import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decisions } from '../src/decisions';
import { pairs, typed } from '../src/rows';
import { answer, file, hunk, rich } from './plans';
import type { Row } from '../src/types';

test('what is decided is sent by hunk, by file where a file is one, and by command', () => {
	const decisions = new Decisions(rich());
	for (const key of ['hunk h1', 'file f2', 'hunk h8', 'command o7']) {
		assert.ok(decisions.choose(key, 'approve'), key);
	}
	for (const key of ['hunk h7', 'file f6', 'command o8']) {
		assert.ok(decisions.choose(key, 'reject'), key);
	}
	assert.deepEqual(decisions.body('too early'), {
		revision: 2, hash: rich().plan.hash, approve: { hunks: ['h1', 'h8'], files: ['f2'] }, reject: { hunks: ['h7'], files: ['f6'] }, run: ['o7'], drop: ['o8'], reason: 'too early',
	});
	assert.deepEqual(decisions.counts(), { approved: 3, rejected: 2, undecided: 4, stale: 0 });
});

test('what is stale cannot be approved, and what is not there cannot be decided', () => {
	const decisions = new Decisions(rich());
	assert.equal(decisions.choose('hunk h7', 'approve'), false);
	assert.equal(decisions.choose('hunk h4', 'approve'), false, 'a renamed file is decided as one');
	assert.equal(decisions.choose('hunk no', 'approve'), false);
	assert.equal(decisions.choose('__proto__', 'approve'), false);
	assert.equal(decisions.any, false);
});

test('hunks that share lines are decided together', () => {
	const decisions = new Decisions(answer([file('f1', 'a', [hunk('h1', 5, 'x', { also: ['h2'] })])]));
	decisions.choose('hunk h1', 'approve');
	assert.deepEqual(decisions.body().approve.hunks, ['h1', 'h2']);
});

test('a choice stays only for what is shown the same', () => {
	const before = answer([file('f1', 'a', [hunk('h1', 5), hunk('h2', 50), hunk('h3', 90)])], { commands: [{ id: 'o1', command: 'make', status: 'pending' }] });
	const decisions = new Decisions(before);
	for (const key of ['hunk h1', 'hunk h2', 'hunk h3', 'command o1']) {
		decisions.choose(key, 'approve');
	}
	const after = answer([file('f1', 'a', [hunk('h1', 7), hunk('h2', 50, 'other'), hunk('h3', 90, 'total', { status: 'applied' })])], { commands: [{ id: 'o1', command: 'make install', status: 'pending' }], revision: 2, hash: 'sha256:2' });
	assert.equal(decisions.follow(after), 3);
	assert.deepEqual(decisions.body(), { revision: 2, hash: 'sha256:2', approve: { hunks: ['h1'], files: [] }, reject: { hunks: [], files: [] }, run: [], drop: [] });
});

test('an approval ends when its hunk becomes stale; a rejection stays', () => {
	const stale = answer([file('f1', 'a', [hunk('h1', 5, 'total', { status: 'stale' }), hunk('h2', 50, 'total', { status: 'stale' })])]);
	const decisions = new Decisions(answer([file('f1', 'a', [hunk('h1', 5), hunk('h2', 50)])]));
	decisions.choose('hunk h1', 'approve');
	decisions.choose('hunk h2', 'reject');
	assert.equal(decisions.follow(stale), 1);
	assert.deepEqual(decisions.body().reject.hunks, ['h2']);
});

test('choices are kept for the same hash only', () => {
	const first = new Decisions(rich());
	first.choose('hunk h1', 'approve');
	const again = new Decisions(rich());
	again.restore(first.kept());
	assert.equal(again.of('hunk h1'), 'approve');
	const other = new Decisions({ ...rich(), plan: { ...rich().plan, hash: 'sha256:other' } });
	other.restore(first.kept());
	other.restore('nonsense');
	other.restore(null);
	assert.equal(other.any, false);
});

test('removed lines stand beside the added ones that follow', () => {
	const rows: Row[] = [{ k: 'same', old: 1, new: 1, text: 'a' }, { k: 'removed', old: 2, text: 'b' }, { k: 'removed', old: 3, text: 'c' }, { k: 'added', new: 2, text: 'd' }, { k: 'removed', old: 4, text: 'e' }, { k: 'same', old: 5, new: 3, text: 'f' }];
	assert.deepEqual(pairs(rows).map(([left, right]) => `${left?.text ?? ''}|${right?.text ?? ''}`), ['a|a', 'b|d', 'c|', 'e|', 'f|f']);
});

test('an edited line stands beside what it was', () => {
	const rows: Row[] = [
		{ k: 'removed', old: 4, text: 'a' }, { k: 'removed', old: 5, text: 'b' }, { k: 'removed', old: 6, text: 'c' },
		{ k: 'added', new: 4, text: 'x' }, { k: 'added', new: 5, text: 'y' }, { k: 'added', new: 6, text: 'b!', from: 5 }, { k: 'added', new: 7, text: 'c!', from: 6 }, { k: 'added', new: 8, text: 'z' },
	];
	assert.deepEqual(pairs(rows).map(([left, right]) => `${left?.text ?? ''}|${right?.text ?? ''}`), ['a|x', '|y', 'b|b!', 'c|c!', '|z']);
});

test('typed lines get the line ends that were there', () => {
	assert.equal(typed('a\nb\n', 'x\ny'), 'x\ny\n');
	assert.equal(typed('a\r\nb\r\n', 'x\ny\n'), 'x\r\ny\r\n');
	assert.equal(typed('a\nb', 'x\ny'), 'x\ny', 'no line end at the end of the file');
	assert.equal(typed('a\n', ''), '', 'no line at all');
	assert.equal(typed('', 'x'), 'x\n');
});

test('what is chosen while a decision is sent stays, and what was sent is not called decided elsewhere', async () => {
	const before = answer([file('f1', 'a', [hunk('h1', 5)]), file('f2', 'b', [hunk('h2', 7)])]);
	const after = answer([file('f1', 'a', [hunk('h1', 5, 'x', { status: 'applied' })]), file('f2', 'b', [hunk('h2', 7)])]);
	const decisions = new Decisions(before);
	decisions.choose('hunk h1', 'approve');
	await decisions.send(() => {
		assert.equal(decisions.follow(after), 0);
		assert.ok(decisions.choose('hunk h2', 'approve'));
		return Promise.resolve();
	});
	assert.deepEqual(decisions.body().approve.hunks, ['h2']);
	await assert.rejects(decisions.send(() => Promise.reject(new Error('refused'))));
	assert.deepEqual(decisions.body().approve.hunks, ['h2'], 'a refused decision keeps its choices');
	await decisions.send(() => Promise.resolve());
	assert.equal(decisions.any, false);
});
