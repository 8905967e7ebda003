import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doingNow, isNews, sentence, Transcript, type TurnEntry, verdictOf, workerOf } from '../src/core/transcript';
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

test('tokens are added as they come, what was said before a step stays, and the answer has the last word', () => {
	const t = new Transcript();
	const changes: string[] = [];
	t.changed.listen((c) => changes.push(c.type));
	t.apply({ kind: 'turn.started', turn: 't1' });
	t.apply({ kind: 'token', turn: 't1', text: 'I look. ' });
	t.apply({ kind: 'tool', turn: 't1', summary: 'read a.go' });
	t.apply({ kind: 'token', turn: 't1', text: 'Done' });
	assert.deepEqual([turns(t)[0]?.steps, turns(t)[0]?.answer], [[{ said: 'I look.' }, { did: 'read a.go' }], 'Done']);
	assert.deepEqual(changes, ['entry', 'append', 'entry', 'append']);
	t.apply({ kind: 'plan', turn: 't1', plan: plan(4, []) });
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done', answer: 'Done.' });
	assert.deepEqual(turns(t).map((e) => [e.answer, e.state, e.plan, e.doing]), [['Done.', 'done', 4, '']]);
	assert.deepEqual(turns(t)[0]?.steps, [{ said: 'I look.' }, { did: 'read a.go' }], 'the narration stays, and the last words are in the answer alone');
});

test('an answer that has the narration in it says it once', () => {
	const t = new Transcript();
	t.apply({ kind: 'token', turn: 't1', text: 'I look.' });
	t.apply({ kind: 'tool', turn: 't1', summary: 'read a.go' });
	t.apply({ kind: 'token', turn: 't1', text: 'It is **fine**' });
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done', answer: 'I look.\n\nIt is **fine**.' });
	assert.deepEqual([turns(t)[0]?.steps, turns(t)[0]?.answer], [[{ did: 'read a.go' }], 'I look.\n\nIt is **fine**.']);
});

test('silence, thoughts and retries do not look like nothing', () => {
	let now = 1000;
	const t = new Transcript(() => now);
	const shown = () => doingNow(turns(t)[0] as TurnEntry, now);
	t.apply({ kind: 'turn.started', turn: 't1' });
	assert.equal(shown(), 'Working…');
	t.apply({ kind: 'doing', turn: 't1', name: 'model', text: 'waiting for the model' });
	assert.equal(shown(), 'Waiting for the model…');
	now += 60_000;
	assert.equal(shown(), 'Waiting for the model · 60 s');
	t.apply({ kind: 'doing', turn: 't1', name: 'retry', text: 'the provider is busy (429)', waitMs: 20_000, retry: 1, giveUpMs: 30_000 });
	assert.equal(shown(), 'Retry 1 in 20 s (gives up in 30 s): the provider is busy (429)');
	now += 12_500;
	assert.equal(shown(), 'Retry 1 in 8 s (gives up in 18 s): the provider is busy (429)');
	now += 10_500;
	assert.equal(shown(), 'Retry 1: waiting for the model · 3 s');
	t.apply({ kind: 'doing', turn: 't1', name: 'model', text: 'the model is thinking' });
	now += 7_000;
	assert.equal(shown(), 'The model is thinking · 7 s');
	t.apply({ kind: 'doing', turn: 't1', name: 'edit_file', text: 'editing a.go' });
	now += 1_000;
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done', answer: 'Done.' });
	assert.deepEqual(turns(t).map((e) => [e.steps, e.took]), [[[{ did: 'retry 1: the provider is busy (429)' }, { did: 'thought for 7 s' }], 91]]);
});

test('thoughts become a step with their seconds, after what was said before them', () => {
	let now = 1000;
	const t = new Transcript(() => now);
	const changes: string[] = [];
	t.changed.listen((c) => changes.push(c.type === 'append' ? c.to : c.type));
	t.apply({ kind: 'turn.started', turn: 't1' });
	t.apply({ kind: 'token', turn: 't1', text: 'I look.' });
	t.apply({ kind: 'doing', turn: 't1', name: 'model', text: 'the model is thinking' });
	for (const text of ['It greets', ' twice.']) {
		now += 3000;
		t.apply({ kind: 'thought', turn: 't1', text });
	}
	assert.deepEqual([turns(t)[0]?.thinking, changes], ['It greets twice.', ['entry', 'answer', 'entry', 'thinking', 'thinking']]);
	t.apply({ kind: 'doing', turn: 't1', name: 'edit_file', text: 'editing a.go' });
	now += 8000;
	t.apply({ kind: 'tool', turn: 't1', name: 'edit_file', summary: 'edit a.go +1 −1' });
	t.apply({ kind: 'doing', turn: 't1', name: 'model', text: 'waiting for the model' });
	now += 9000;
	t.apply({ kind: 'tool', turn: 't1', name: 'read_file', summary: 'read b.go' });
	t.apply({ kind: 'thought', turn: 't1', text: 'x'.repeat(50_000) });
	assert.equal(turns(t)[0]?.thinking.length, 20_000);
	t.disconnected();
	assert.deepEqual(turns(t)[0]?.steps.slice(0, 4), [{ said: 'I look.' }, { thought: 'It greets twice.', took: 6 }, { did: 'edit a.go +1 −1', took: 8 }, { did: 'read b.go' }]);
	assert.ok('thought' in (turns(t)[0]?.steps.at(-1) ?? {}), 'what was thought when the server ended stays');
});

test('a turn says who works: the model that was asked, the chosen agent, an agent in a copy', () => {
	const t = new Transcript();
	const who = (turn: string) => workerOf(turns(t).find((e) => e.turn === turn) as TurnEntry);
	t.apply({ kind: 'turn.started', turn: 't1' });
	assert.equal(who('t1'), '');
	t.apply({ kind: 'trace', turn: 't1', step: { kind: 'request', name: 'gpt-large' } });
	t.apply({ kind: 'trace', turn: 't1', step: { kind: 'tool', name: 'read_file' } });
	assert.equal(who('t1'), 'gpt-large');
	t.apply({ kind: 'route', turn: 't1', agent: 'reviewer' });
	assert.equal(who('t1'), 'gpt-large, as reviewer');
	t.apply({ kind: 'outside', turn: 't2', name: 'claude', step: { summary: 'begins' } });
	assert.equal(who('t2'), 'claude, in a copy');
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

test('what Redline says before a request has come to anything stands before that', () => {
	const t = new Transcript();
	t.apply({ kind: 'turn.started', turn: 't1', summary: 'Run a command of plan 1' });
	t.said('Plan 1: 3 changes in 2 files applied.');
	t.apply({ kind: 'command', turn: 't1', text: 'FAIL' });
	t.said('Plan 1: nothing more.');
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'failed', error: 'Plan 1 stopped.' });
	t.said('Plan 2: 1 change in 1 file applied.');
	assert.deepEqual(turns(t).map((e) => e.notes), [['Plan 1: 3 changes in 2 files applied.']]);
	assert.deepEqual(t.all().map((e) => e.kind === 'note' && e.text), [false, 'Plan 1: nothing more.', 'Plan 2: 1 change in 1 file applied.']);
});

test('an answer that came as a message before is said once', () => {
	const t = new Transcript();
	t.apply({ kind: 'turn.started', turn: 't1', summary: '/new' });
	t.said('This is a new conversation.');
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done', answer: 'This is a new conversation.' });
	assert.deepEqual(turns(t).map((e) => [e.answer, e.notes]), [['This is a new conversation.', []]]);
});

test('a message begins as a sentence does, unless with the name of a file', () => {
	assert.deepEqual(['Redline: plan 1: 1 change applied.', 'Redline: people.md was not changed.', 'src/a.go is gone.', 'Redline: The plan.'].map(sentence),
		['Plan 1: 1 change applied.', 'people.md was not changed.', 'src/a.go is gone.', 'The plan.']);
});

test('the answer to a trial is its verdict; its output is apart', () => {
	const failed = '`make` fails now on what plan 1 proposes, after 0.1 s.', output = '````\n```\nnot 5\n````';
	assert.deepEqual(verdictOf(`${failed}\n\n${output}\n\n\`make vet\` passed on what plan 1 proposes, after 1.0 s.`),
		[`${failed}\n\n\n\`make vet\` passed on what plan 1 proposes, after 1.0 s.`, output]);
	assert.deepEqual(verdictOf('It is so:\n\n```\nx\n```'), ['It is so:\n\n```\nx\n```', '']);
});

test('a turn that has ended knows its trace, if there is one', () => {
	const t = new Transcript();
	t.apply({ kind: 'turn.finished', turn: 't1', state: 'done', trace: '0a1b2c3d-t1' });
	t.apply({ kind: 'turn.finished', turn: 't2', state: 'done' });
	assert.deepEqual(turns(t).map((e) => e.trace), ['0a1b2c3d-t1', undefined]);
});
