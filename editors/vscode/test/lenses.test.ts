import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lens, shortened } from '../src/core/lenses';

const none = () => undefined;
const scope = { plan: 1, revision: 2, hash: 'sha256:0', path: 'a.go', hunk: 'h1' };
const lens = (line: number, title: string, command: string, argument: object): Lens => ({ line, title, command, argument });

test('the lenses of a change are short, and decide through the extension', () => {
	const server = [
		lens(4, 'Approve change', 'redline.approve', scope), lens(4, 'Reject change', 'redline.reject', scope), lens(4, 'Show plan 1', 'redline.show', { plan: 1, view: 'plan' }),
	];
	assert.deepEqual(shortened(server, none), [
		lens(4, 'Approve', 'redline.ui.decide', { verdict: 'approve', scope }), lens(4, 'Reject', 'redline.ui.decide', { verdict: 'reject', scope }),
		lens(4, 'Compare', 'redline.ui.compareChange', scope),
	]);
});

test('a lens says which change it is about where there are several, and that one is stale', () => {
	const other = { ...scope, hunk: 'h2' };
	const both = [
		lens(4, 'Approve change 1.h1', 'redline.approve', scope), lens(4, 'Approve change 1.h2', 'redline.approve', other), lens(9, 'Reject stale change', 'redline.reject', other),
	];
	assert.deepEqual(shortened(both, none).map((l) => l.title), ['Approve change 1.h1', 'Approve change 1.h2', 'Reject stale']);
	const size = ({ hunk }: { hunk?: string }) => (hunk === 'h1' ? { added: 4, removed: 0 } : { added: 1, removed: 2 });
	assert.deepEqual(shortened(both, size).map((l) => l.title), ['Approve (+4)', 'Approve (+1 −2)', 'Reject stale']);
});

test('lenses on a file and a plan stay as they are', () => {
	const whole = { plan: 1, revision: 2, hash: 'sha256:0' };
	const top = [
		lens(0, 'Approve all in this file (plan 1)', 'redline.approve', { ...whole, path: 'a.go' }), lens(0, 'Approve plan 1 (2 files, +3 −3)', 'redline.approve', whole),
		lens(0, 'Show plan 1', 'redline.show', { plan: 1, view: 'plan' }), lens(7, 'Run test', 'go.test', {}), lens(8, '', '', {}),
	];
	assert.deepEqual(shortened(top, none), top);
	const [, , show] = shortened([lens(0, 'Approve change', 'redline.approve', scope), lens(0, 'Reject change', 'redline.reject', scope), lens(0, 'Show plan 1', 'redline.show', { plan: 1, view: 'plan' })], none);
	assert.equal(show?.title, 'Show plan 1', 'on the first line it is the plan’s own');
});
