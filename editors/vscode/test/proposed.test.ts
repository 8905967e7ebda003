import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board } from '../src/core/board';
import { Drafts } from '../src/core/drafts';
import { ProposedTexts } from '../src/core/proposed';
import type { TextEdit } from '../src/protocol';
import { file, hunk, plan } from './plans';

/** A server with one plan, the editor, and the texts between them. */
function held(text = 'one\n', kept: { drafts?: unknown } = {}) {
	const board = new Board(), server = { text, edited: (): Promise<void> => Promise.resolve() }, dirty = new Set<string>(), changed: string[] = [], asked: TextEdit[] = [], gaveUp: [text: string, why: string][] = [];
	const drafts = new Drafts(kept.drafts, (now) => (kept.drafts = now));
	let time = 100;
	const at = (revision: number, state = 'awaiting_approval') => board.take(plan(1, [file('a', [hunk('h1', 0, 1, 1)])], { revision, hash: `sha256:${revision}`, state }));
	at(1);
	const texts = new ProposedTexts(board, drafts, {
		fetch: () => Promise.resolve(server.text),
		edit: async (edit) => {
			asked.push(edit);
			if (edit.revision !== board.plan(1)?.revision) {
				return { refused: 'it is at another revision' };
			}
			await server.edited();
			server.text = edit.text;
			at(edit.revision + 1);
			return { result: plan(1, [], { revision: edit.revision + 1 }) };
		},
		isDirty: (name) => dirty.has(name), changed: (name) => changed.push(name), gaveUp: (draft, why) => gaveUp.push([draft.text, why]), now: () => ++time,
	});
	return {
		board, server, dirty, changed, asked, texts, drafts, gaveUp, at, read: () => texts.read('d', 1, 'a'), write: (now: string, shownAs = 1) => texts.write('d', 1, 'a', shownAs, now),
		autoSave: (now: string) => texts.write('d', 1, 'a', 1, now, true),
	};
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

test('a refusal is shown, and leaves the text as it was', async () => {
	const h = held();
	await h.read();
	await h.texts.close('d');
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

test('auto-save keeps half a word as a draft: it is read back, and a save by the user makes one revision', async () => {
	const h = held();
	const before = await h.read();
	let told = 0;
	h.drafts.changed.listen(() => told++);
	for (const half of ['tw', 'two\n']) {
		assert.equal(await h.autoSave(half), undefined);
		assert.equal((await h.read()).text, half);
	}
	assert.deepEqual([h.asked, h.drafts.of(1), h.drafts.of(2), told], [[], ['d'], [], 2]);
	const draft = await h.read();
	assert.ok(draft.mtime > before.mtime);
	assert.equal(await h.write('two\n'), undefined);
	assert.deepEqual(h.asked, [{ plan: 1, revision: 1, hash: 'sha256:1', path: 'a', was: 'one\n', text: 'two\n' }]);
	assert.deepEqual([await h.read(), h.drafts.of(1)], [draft, []]);
});

test('a draft that is as the plan proposes is none', async () => {
	const h = held();
	await h.autoSave('tw');
	await h.autoSave('one\n');
	assert.deepEqual([(await h.read()).text, h.drafts.of(0), h.asked], ['one\n', [], []]);
});

test('an action on the plan makes its drafts revisions first, in the same documents', async () => {
	const h = held();
	await h.autoSave('two\n');
	assert.deepEqual([await h.texts.take(2), h.asked.length], [[], 0]);
	const before = await h.read();
	assert.deepEqual(await Promise.all([h.texts.take(1), h.texts.take(0)]), [[], []]);
	assert.deepEqual(h.asked.map(({ was, text }) => [was, text]), [['one\n', 'two\n']]);
	assert.equal(h.board.shownAs(plan(1, [], { revision: 2 })), 1);
	assert.deepEqual([await h.read(), h.drafts.of(0), h.changed], [before, [], []]);
});

test('what auto-save adds while a draft becomes a revision stays a draft', async () => {
	const h = held();
	await h.autoSave('two\n');
	h.server.edited = async () => {
		await h.autoSave('two more\n');
	};
	await h.texts.take(1);
	h.server.edited = () => Promise.resolve();
	assert.deepEqual([(await h.read()).text, h.drafts.of(1)], ['two more\n', ['d']]);
	await h.texts.take(1);
	assert.equal(h.server.text, 'two more\n');
	assert.deepEqual(h.drafts.of(1), []);
});

test('closing a document makes its draft a revision', async () => {
	const h = held();
	await h.autoSave('two\n');
	await h.texts.close('d');
	assert.deepEqual([h.asked.map(({ text }) => text), h.drafts.of(0), h.gaveUp], [['two\n'], [], []]);
	assert.equal((await h.read()).text, 'two\n');
});

test('a draft survives the window', async () => {
	const kept: { drafts?: unknown } = {}, first = held('one\n', kept);
	await first.autoSave('two\n');
	kept.drafts = JSON.parse(JSON.stringify(kept.drafts));
	const next = held('one\n', kept);
	assert.equal((await next.read()).text, 'two\n');
	await next.texts.take(1);
	assert.deepEqual([next.server.text, kept.drafts], ['two\n', []]);
	for (const odd of [undefined, null, 3, [null, [1, {}], ['d', null], ['d', { plan: 1 }]]]) {
		assert.deepEqual(held('one\n', { drafts: odd }).drafts.of(0), []);
	}
});

test('a new revision of the same file waits beside a draft: the user chooses', async () => {
	const h = held();
	await h.autoSave('mine\n');
	const before = await h.read();
	h.server.text = 'reworked\n';
	h.at(2);
	assert.deepEqual(h.changed, [], 'the editor keeps the time of what the user began with');
	assert.match((await h.texts.take(1)).join(), /at revision 2 now, and your draft of a is of revision 1/);
	assert.deepEqual(await h.read(), before, 'also when it looks again');
	await h.texts.saving('d');
	const after = await h.read();
	assert.deepEqual([after.text, after.mtime > before.mtime, h.drafts.of(0)], ['reworked\n', true, []], 'but as the user saves it is a newer file: the editor asks');
	assert.equal(await h.write('mine\n'), undefined, 'it was overwritten');
	assert.deepEqual(h.asked.map(({ revision, was, text }) => [revision, was, text]), [[2, 'reworked\n', 'mine\n']]);
});

test('a new revision of other files leaves a draft as it is', async () => {
	const h = held();
	await h.autoSave('mine\n');
	h.at(2);
	await h.texts.saving('d');
	assert.deepEqual(h.drafts.of(1), ['d']);
	assert.deepEqual(await h.texts.take(1), []);
	assert.deepEqual(h.asked.map(({ revision, text }) => [revision, text]), [[2, 'mine\n']]);
});

test('a draft that cannot become part of its plan is shown when it is given up', async () => {
	const h = held();
	await h.autoSave('mine\n');
	h.at(1, 'cancelled');
	assert.deepEqual(await h.texts.take(1), []);
	assert.deepEqual([h.gaveUp, h.drafts.of(0), h.asked, (await h.read()).text], [[['mine\n', 'It cannot be changed any more.']], [], [], 'one\n']);
	const closed = held();
	await closed.autoSave('mine\n');
	closed.server.text = 'reworked\n';
	closed.at(2);
	await closed.texts.close('d');
	assert.match(closed.gaveUp.join(), /^mine\n,Plan 1 is at revision 2 now/);
	assert.deepEqual([closed.gaveUp.length, closed.drafts.of(0)], [1, []]);
});
