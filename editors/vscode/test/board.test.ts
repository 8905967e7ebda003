import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../src/core/board';
import { children, planNode } from '../src/core/nodes';
import { applied, approvable, canUndo, extent, hasDecision, isOutdated, stateName, waiting } from '../src/core/plans';
import { file, hunk, plan } from './plans';

test('what waits is counted over open plans only', () => {
	const board = new Board();
	const files = [file('a', [hunk('h1', 1, 1, 1), hunk('h2', 3, 1, 0, 'applied')]), file('b', [], { action: 'rename' })];
	board.take(plan(1, files));
	board.take(plan(2, [file('c', [hunk('h1', 1, 1, 1)])], { state: 'cancelled' }));
	assert.equal(board.waiting(), 2);
	assert.deepEqual(board.plans().map((p) => p.plan), [2, 1]);
	assert.deepEqual(board.open().map((p) => p.plan), [1]);
});

test('turns are shown from their start to their end', () => {
	const board = new Board();
	let fired = 0;
	board.worked.listen(() => fired++);
	board.apply({ kind: 'turn.started', turn: 't1', summary: 'rename it' });
	board.apply({ kind: 'tool', turn: 't1', name: 'read_file', summary: 'reads a.go' });
	assert.deepEqual(board.running(), [{ turn: 't1', request: 'rename it', doing: 'reads a.go' }]);
	board.apply({ kind: 'token', turn: 't1', text: 'x' });
	assert.equal(fired, 2, 'a token changes nothing here');
	board.apply({ kind: 'turn.finished', turn: 't1', state: 'done' });
	assert.deepEqual(board.running(), []);
});

test('a plan outlives the connection, its turns do not', () => {
	const board = new Board();
	board.take(plan(1, [file('a', [hunk('h1', 1, 1, 1)])]));
	board.apply({ kind: 'turn.started', turn: 't1' });
	board.disconnected();
	assert.equal(board.waiting(), 1);
	assert.deepEqual(board.running(), []);
});

test('what can be decided follows from the state', () => {
	const stale = plan(1, [file('a', [hunk('h1', 1, 1, 1, 'stale')])]);
	assert.equal(waiting(stale), 1);
	assert.equal(approvable(stale), false, 'a stale change cannot be approved');
	assert.equal(approvable(plan(1, [], { textOnly: true })), true);
	assert.equal(approvable(plan(1, [], { commands: [{ id: 'o1', command: 'go test', status: 'pending' }] })), true);
	const done = plan(1, [file('a', [hunk('h1', 1, 1, 1, 'applied')], { status: 'applied' })], { state: 'completed', undoable: true });
	assert.deepEqual([waiting(done), approvable(done), canUndo(done)], [0, false, true]);
	assert.equal(extent(done.files), '1 file, +1 −1');
});

test('a comparison of a plan is outdated when it would have other files', () => {
	const edited = file('a', [hunk('h1', 1, 1, 1)]), made = file('b', [hunk('h2', 0, 1, 0)], { action: 'create' });
	const opened = plan(1, [edited, made]);
	const outdated = (files: typeof opened.files, then = opened) => isOutdated(then, plan(1, files));
	assert.equal(outdated([{ ...edited, status: 'rejected' }, made]), false, 'its text follows by itself');
	assert.equal(outdated([{ ...edited, status: 'applied' }, { ...made, status: 'applied' }]), false);
	assert.equal(outdated([edited, { ...made, status: 'rejected' }]), true, 'it would still look created');
	assert.equal(outdated([edited]), true, 'another revision');
	assert.equal(outdated([edited, made, file('c', [])]), true, 'what is not seen could be approved');
	assert.equal(outdated([edited, made], plan(1, [edited, { ...made, status: 'applied' }])), true, 'the file is gone again');
});

test('what was rejected is not counted as applied, and a plan that was rejected as a whole is not done', () => {
	const half = plan(1, [file('a', [hunk('h1', 1, 4, 2, 'applied'), hunk('h2', 9, 2, 3, 'rejected')], { status: 'applied' })], { state: 'completed' });
	assert.deepEqual([extent(half.files), applied(half), children(planNode(half))[0]?.description, stateName(half)], ['1 file, +4 −2', '1 file, +4 −2', '+4 −2 · applied', 'completed']);
	const two = plan(1, [file('a', [hunk('h1', 1, 4, 2, 'applied')], { status: 'applied' }), file('b', [hunk('h2', 9, 2, 3, 'rejected')], { status: 'rejected' })], { state: 'completed' });
	assert.deepEqual([extent(two.files), applied(two)], ['1 file, +4 −2', '1 file, +4 −2']);
	const none = plan(1, [file('a', [hunk('h1', 1, 4, 2, 'rejected')], { status: 'rejected' })], { state: 'completed' });
	assert.deepEqual([extent(none.files), applied(none), stateName(none), planNode(none).status], ['1 file, +4 −2', undefined, 'rejected', 'rejected']);
	assert.deepEqual([half, none, plan(1, [file('a', [hunk('h1', 1, 4, 2)])])].map(hasDecision), [true, true, false]);
});

test('an answer about the state that is late does not replace what an event has told since', () => {
	const board = new Board();
	const before = plan(1, [file('a', [hunk('h1', 1, 1, 1)])]), other = plan(2, [file('b', [hunk('h1', 1, 1, 1)])]);
	board.take(plan(1, [file('a', [hunk('h1', 1, 1, 1, 'applied')])], { state: 'completed' }));
	board.reset({ plans: [before, other], turns: [], model: { provider: '', name: '' } }, new Set([1]));
	assert.deepEqual(board.plans().map(({ state }) => state), ['awaiting_approval', 'completed']);
});

test('a change that the user types in is stale at once, without a plan from the server', () => {
	const board = new Board(), told: (number | undefined)[] = [];
	board.take(plan(1, [file('a', [hunk('h1', 1, 1, 1), hunk('h2', 5, 1, 1), hunk('h3', 9, 1, 1, 'rejected')]), file('b', [hunk('h4', 5, 1, 1)])]));
	board.changed.listen((now) => told.push(now?.plan));
	const place = (id: string, line: number, stale = false) => ({ plan: 1, hunk: id, stale, range: hunk(id, line, 1, 1).range });
	const see = (...places: ReturnType<typeof place>[]) => board.placed((uri) => uri === 'file:///w/a', places);
	const now = () => board.plan(1)?.files.flatMap((f) => f.hunks.map((h) => `${h.id} ${h.status} ${h.range.start.line}`)).join(', ');
	see(place('h1', 1), place('h2', 6), place('h4', 7));
	assert.equal(now(), 'h1 pending 1, h2 pending 6, h3 rejected 9, h4 pending 5');
	assert.deepEqual(told, [], 'only places have moved');
	see(place('h1', 1), place('h2', 6, true));
	assert.equal(now(), 'h1 pending 1, h2 stale 6, h3 rejected 9, h4 pending 5');
	assert.equal(board.plan(1)?.files[0]?.hunks[1]?.reason, 'its lines were changed since it was proposed');
	see(place('h1', 1), place('h2', 5));
	assert.equal(now(), 'h1 pending 1, h2 pending 5, h3 rejected 9, h4 pending 5');
	assert.equal(board.plan(1)?.files[0]?.hunks[1]?.reason, undefined);
	assert.deepEqual(told, [1, 1]);
	board.placed(() => true, [{ ...place('h1', 3), plan: 7 }]);
});
