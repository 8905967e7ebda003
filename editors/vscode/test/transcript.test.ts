import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNews, Transcript, type TurnEntry } from '../src/core/transcript';
import { plan } from './plans';

const turns = (t: Transcript) => t.all().filter((e): e is TurnEntry => e.kind === 'turn');

test('a request and its turn become one entry, whichever comes first', () => {
	const one = new Transcript();
	one.sent('t1', 'rename greet\nto salute');
	one.apply({ kind: 'turn.started', turn: 't1', summary: 'rename greet' });
	const other = new Transcript();
	other.apply({ kind: 'turn.started', turn: 't1', summary: 'rename greet' });
	other.sent('t1', 'rename greet\nto salute');
	for (const t of [one, other]) {
		assert.deepEqual(turns(t).map((e) => [e.request, e.state]), [['rename greet\nto salute', 'running']]);
	}
});

test('tokens are added as they come, and the answer has the last word', () => {
	const t = new Transcript();
	const changes: string[] = [];
	t.changed.listen((c) => changes.push(c.type));
	t.apply({ kind: 'turn.started', turn: 't1' });
	t.apply({ kind: 'token', turn: 't1', text: 'I look' });
	t.apply({ kind: 'tool', turn: 't1', summary: 'reads a.go' });
	t.apply({ kind: 'token', turn: 't1', text: 'Done' });
	assert.equal(turns(t)[0]?.answer, 'I look\n\nDone');
	assert.deepEqual(changes, ['entry', 'append', 'entry', 'append']);
	t.apply({ kind: 'plan', turn: 't1', plan: plan(4, []) });
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done', answer: 'Done.' });
	assert.deepEqual(turns(t).map((e) => [e.answer, e.state, e.plan, e.doing]), [['Done.', 'done', 4, '']]);
});

test('a server that ends interrupts what ran, and the next one names its turns anew', () => {
	const t = new Transcript();
	t.connected();
	t.apply({ kind: 'turn.started', turn: 't1', summary: 'first' });
	t.disconnected();
	t.connected();
	t.apply({ kind: 'turn.started', turn: 't1', summary: 'second' });
	assert.deepEqual(turns(t).map((e) => [e.request, e.state]), [['first', 'interrupted'], ['second', 'running']]);
});

test('a question is shown with its options', () => {
	const t = new Transcript();
	t.apply({ kind: 'question', turn: 't1', text: 'Which one?', options: ['a', 'b'] });
	assert.deepEqual(turns(t)[0]?.question, { text: 'Which one?', options: ['a', 'b'] });
});

test('a long conversation keeps its end', () => {
	const t = new Transcript();
	for (let i = 0; i < 500; i++) {
		t.note(`${i}`, 'info');
	}
	assert.equal(t.all().length, 200);
	assert.equal(t.all().at(-1)?.kind === 'note' && t.all().at(-1)?.id, 'n500');
});

test('what the chat shows anyway is no news', () => {
	const t = new Transcript();
	t.sent('t1', 'what?');
	t.apply({ kind: 'turn.finished', turn: 't1', answer: 'It is **so**, since `x` is set.\n\nMore.', state: 'done' });
	const news = (message: string) => isNews(message, t.all());
	assert.equal(news('Redline: plan 2 is ready: 1 file, +1 −1. Preview: .redline/plans/0002-r1.md'), false);
	assert.equal(news('Redline: It is **so**, since `x` is set. (The whole answer is in .redline/chat.md.)'), false);
	assert.equal(news('Redline: a.go is not saved yet.'), true);
});
