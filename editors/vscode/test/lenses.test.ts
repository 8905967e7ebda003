import assert from 'node:assert/strict';
import { test } from 'node:test';
import { help, type Lens, rows } from '../src/core/lenses';

const none = () => undefined;
const named = ({ hunk }: { hunk?: string }) => (hunk === 'h1' ? { number: '1 of 2', added: 4, removed: 0 } : { number: '2 of 2', added: 1, removed: 2 });
const scope = { plan: 1, revision: 2, hash: 'sha256:0', path: 'a.go', hunk: 'h1' };
const lens = (line: number, title: string, command: string, argument: object): Lens => ({ line, title, command, argument });

test('the row above a change says which it is, decides through the extension, and leads on', () => {
	const server = [
		lens(4, 'Approve change', 'redline.approve', scope), lens(4, 'Reject change', 'redline.reject', scope), lens(4, 'Show plan 1', 'redline.show', { plan: 1, view: 'plan' }),
	];
	assert.deepEqual(rows(server, named), [
		lens(4, '1 of 2: +4', '', scope),
		lens(4, 'Approve', 'redline.ui.decide', { verdict: 'approve', scope }), lens(4, 'Reject', 'redline.ui.decide', { verdict: 'reject', scope }),
		lens(4, '‹', 'redline.ui.previous', scope), lens(4, '›', 'redline.ui.next', scope), lens(4, 'Peek', 'redline.ui.peekChange', scope), lens(4, 'Compare', 'redline.ui.compareChange', scope),
	]);
	assert.deepEqual(rows(server, named).slice(1).map(({ title }) => help(title, 'change 1 of 2')), [
		'Approve change 1 of 2', 'Reject change 1 of 2', 'Previous change, before change 1 of 2', 'Next change, after change 1 of 2', 'Peek at the new text of change 1 of 2', 'Compare change 1 of 2 with your text',
	]);
});

test('while the user edits what a plan proposes, its changes cannot be approved: a save comes first', () => {
	const server = [lens(4, 'Approve change', 'redline.approve', scope), lens(4, 'Reject change', 'redline.reject', scope)];
	assert.deepEqual(rows(server, named, () => 3).slice(1, 3), [
		lens(4, 'Save to make revision 3', 'redline.ui.saveProposed', 1 as never), lens(4, 'Reject', 'redline.ui.decide', { verdict: 'reject', scope }),
	]);
});

test('where several changes begin on a line each has its name, and one way on', () => {
	const other = { ...scope, hunk: 'h2' };
	const both = [
		lens(4, 'Approve change 1.h1', 'redline.approve', scope), lens(4, 'Approve change 1.h2', 'redline.approve', other), lens(9, 'Reject stale change', 'redline.reject', other),
	];
	assert.deepEqual(rows(both, named).map((l) => l.title), ['1 of 2: +4', 'Approve', '2 of 2: +1 −2', 'Approve', '‹', '›', 'Peek', 'Compare', '2 of 2: +1 −2', 'Reject stale', '‹', '›', 'Peek', 'Compare']);
	assert.deepEqual(rows(both, none).map((l) => l.title).filter((title) => /^[AR]/.test(title)), ['Approve 1.h1', 'Approve 1.h2', 'Reject stale']);
});

test('lenses on a file and a plan stay as they are', () => {
	const whole = { plan: 1, revision: 2, hash: 'sha256:0' };
	const top = [
		lens(0, 'Approve all in this file (plan 1)', 'redline.approve', { ...whole, path: 'a.go' }), lens(0, 'Approve plan 1 (2 files, +3 −3)', 'redline.approve', whole),
		lens(0, 'Show plan 1', 'redline.show', { plan: 1, view: 'plan' }), lens(7, 'Run test', 'go.test', {}), lens(8, '', '', {}),
	];
	assert.deepEqual(rows(top, none), top);
	const first = rows([lens(0, 'Approve change', 'redline.approve', scope), lens(0, 'Reject change', 'redline.reject', scope), lens(0, 'Show plan 1', 'redline.show', { plan: 1, view: 'plan' })], none);
	assert.equal(first.at(-1)?.title, 'Show plan 1', 'on the first line it is the plan’s own');
});
