import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../src/core/board';
import { ProposedTexts } from '../src/core/proposed';
import type { TextEdit } from '../src/protocol';
import { file, hunk, plan } from './plans';

/** A server with one plan, the editor, and the texts between them. */
function held(text = 'one\n') {
	const board = new Board(), server = { text }, dirty = new Set<string>(), changed: string[] = [], asked: TextEdit[] = [];
	let time = 100;
	const at = (revision: number, state = 'awaiting_approval') => board.take(plan(1, [file('a', [hunk('h1', 0, 1, 1)])], { revision, hash: `sha256:${revision}`, state }));
	at(1);
	const texts = new ProposedTexts(board, {
		fetch: () => Promise.resolve(server.text),
		edit: (edit) => {
			asked.push(edit);
			if (edit.revision !== board.plan(1)?.revision) {
				return Promise.resolve({ refused: 'it is at another revision' });
			}
			server.text = edit.text;
			at(edit.revision + 1);
			return Promise.resolve({ result: plan(1, [], { revision: edit.revision + 1 }) });
		},
		isDirty: (name) => dirty.has(name), changed: (name) => changed.push(name), now: () => ++time,
	});
	return { board, server, dirty, changed, asked, texts, at, read: () => texts.read('d', 1, 'a'), write: (now: string, shownAs = 1) => texts.write('d', 1, 'a', shownAs, now) };
}

test('a saved text is a revision, in the same document; equal bytes are nothing', async () => {
	const h = held();
	const before = await h.read();
	assert.equal(before.writable, true);
	assert.equal(await h.write('one\n'), undefined);
	assert.equal(h.asked.length, 0);
	assert.equal(await h.write('two\n'), undefined);
	assert.deepEqual(h.asked, [{ plan: 1, revision: 1, hash: 'sha256:1', path: 'a', was: 'one\n', text: 'two\n' }]);
	const after = await h.read();
	assert.equal(after.text, 'two\n');
	assert.ok(after.mtime > before.mtime);
	assert.equal(h.board.shownAs(plan(1, [], { revision: 2 })), 1, 'its texts keep their name');
	assert.equal(await h.write('three\n'), undefined);
	assert.equal(h.asked[1]?.revision, 2);
	assert.equal(h.board.shownAs(plan(1, [], { revision: 3 })), 1);
	assert.equal(h.board.shownAs(plan(1, [], { revision: 4 })), 4, 'a revision by the model has a name of its own');
});

test('a new revision is a newer file, also while the user edits the earlier one', async () => {
	const h = held();
	const before = await h.read();
	h.dirty.add('d');
	h.server.text = 'reworked\n';
	h.at(2);
	assert.deepEqual(h.changed, ['d']);
	const after = await h.read();
	assert.ok(after.mtime > before.mtime, 'the editor asks whether to overwrite');
	assert.equal(await h.write('mine\n'), undefined, 'it was overwritten');
	assert.deepEqual(h.asked, [{ plan: 1, revision: 2, hash: 'sha256:2', path: 'a', was: 'reworked\n', text: 'mine\n' }]);
});

test('a new revision with the same text of the file is no newer file', async () => {
	const h = held();
	const before = await h.read();
	h.at(2);
	assert.equal((await h.read()).mtime, before.mtime);
});

test('what is typed in the file meanwhile is no newer file while the user edits the proposed text', async () => {
	const h = held();
	const before = await h.read();
	h.dirty.add('d');
	h.server.text = 'typed\none\n';
	h.texts.outdate('d');
	h.texts.settle();
	assert.deepEqual(h.changed, []);
	assert.equal((await h.read()).mtime, before.mtime);
	h.dirty.clear(); // reverted
	h.texts.settle();
	assert.deepEqual(h.changed, ['d']);
	assert.equal((await h.read()).text, 'typed\none\n');
});

test('what is decided, deleted or rejected cannot be edited', async () => {
	const h = held();
	await h.read();
	h.at(1, 'completed');
	assert.deepEqual(h.changed, ['d']);
	assert.equal((await h.read()).writable, false);
	assert.match(await h.write('x\n') ?? '', /cannot be changed/);
	h.board.take(plan(1, [file('a', [], { action: 'delete' })]));
	assert.equal((await h.texts.read('e', 1, 'a')).writable, false);
	assert.deepEqual(h.asked, []);
});

test('a refusal is told, and leaves the text as it was', async () => {
	const h = held();
	await h.read();
	h.texts.forget('d');
	const late = h.texts.write('d', 1, 'a', 1, 'mine\n'); // its revision is that of the fetched text
	h.at(2);
	assert.equal(await late, undefined);
	const race = held();
	await race.read();
	const board = race.board;
	board.plan = () => plan(1, [file('a', [hunk('h1', 0, 1, 1)])], { revision: 5 }); // which the texts do not know of yet
	assert.equal(await race.write('mine\n'), 'it is at another revision');
	assert.equal((await race.read()).text, 'one\n');
});
