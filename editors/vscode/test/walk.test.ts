import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeName } from '../src/core/plans';
import { afterDecided, at, inOrder, inProposed, type Place, proposed, step, toProposed } from '../src/core/walk';
import { file, hunk, plan } from './plans';

const place = (uri: string, line: number, last = line): Place => ({ uri, plan: 1, hunk: `h${line}`, line, last });
const places = inOrder([place('b', 3), place('a', 9), place('a', 1, 2), place('z', 0)], ['b', 'a']);

test('places are in the order of the files, then of the lines', () => {
	assert.deepEqual(places.map((p) => p.uri + String(p.line)), ['b3', 'a1', 'a9', 'z0']);
});

test('the next place is below, then in the next file, and round', () => {
	const go = (uri: string, line: number, forward = true) => {
		const p = step(places, { uri, line }, forward);
		return p && p.uri + String(p.line);
	};
	assert.equal(go('a', 0), 'a1');
	assert.equal(go('a', 1), 'a9');
	assert.equal(go('a', 9), 'z0');
	assert.equal(go('z', 5), 'b3');
	assert.equal(go('other', 5), 'b3');
	assert.equal(go('a', 9, false), 'a1');
	assert.equal(go('a', 2, false), 'b3', 'from within a place, back to the one before');
	assert.equal(go('b', 3, false), 'z0');
	assert.equal(step([], { uri: 'a', line: 0 }, true), undefined);
	assert.equal(step(places, undefined, false)?.uri, 'z');
});

test('a place has all its lines', () => {
	assert.equal(at(places, 'a', 2)?.line, 1);
	assert.equal(at(places, 'a', 3), undefined);
});

test('a hunk is found in the proposed text behind others', () => {
	const hunks = [hunk('h1', 1, 3, 1), hunk('h2', 5, 1, 1, 'stale'), hunk('h3', 8, 0, 2), hunk('h4', 12, 1, 1)];
	const found = (line: number) => inProposed(hunks, line)?.id;
	assert.deepEqual([0, 1, 3, 4].map(found), [undefined, 'h1', 'h1', undefined]);
	assert.equal(found(7), undefined, 'a stale hunk is not in the proposed text');
	assert.equal(found(10), 'h3', 'a removal is found where the lines were');
	assert.equal(found(12), 'h4');
});

test('a line of the text of now is found in the proposed text', () => {
	const hunks = [hunk('h1', 2, 1, 2), hunk('h2', 10, 4, 1), hunk('h3', 20, 3, 1, 'stale')];
	assert.deepEqual([0, 2, 3, 4, 10, 11, 21].map((line) => toProposed(hunks, line)), [0, 2, 2, 3, 9, 13, 23]);
	assert.deepEqual(proposed(hunks).map((p) => [p.hunk.id, p.line, p.last]), [['h1', 2, 2], ['h2', 9, 12]]);
});

test('after a decision comes the next change that waits, round over the files', () => {
	const decided = (...status: [string, string, string]) => plan(1, [
		file('a', [hunk('h1', 1, 1, 1, status[0]), hunk('h2', 5, 3, 1, status[1])]), file('b', [hunk('h3', 0, 1, 1, status[2])]),
	]);
	const next = (p: ReturnType<typeof decided>, path: string, id?: string) => {
		const place = afterDecided(p, path, id);
		return place && `${place.uri} ${place.hunk}`;
	};
	assert.equal(next(decided('applied', 'pending', 'pending'), 'a', 'h1'), 'a h2');
	assert.equal(next(decided('pending', 'rejected', 'pending'), 'a', 'h2'), 'b h3');
	assert.equal(next(decided('pending', 'applied', 'applied'), 'b', 'h3'), 'a h1', 'round');
	assert.equal(next(decided('applied', 'applied', 'pending'), 'a'), 'b h3', 'a whole file');
	assert.equal(next(decided('applied', 'stale', 'rejected'), 'a', 'h1'), undefined, 'a stale one is in no comparison');
});

test('a change has its number among all changes of its plan', () => {
	const p = plan(1, [file('a', [hunk('h1', 1, 1, 1, 'applied')]), file('b', [hunk('h2', 0, 1, 1), hunk('h3', 4, 1, 1)])]);
	assert.equal(changeName(p, 'b', 'h2'), 'change 2 of 3');
	assert.equal(changeName(p, 'a', 'h2'), '');
});
