import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isRequest, mentions, without } from '../src/core/mentions';
import { read } from '../src/chat/messages';
import { commandsFor, isForServer, slashCommands } from '../src/core/slash';
import { actions } from '../src/core/actions';
import { html } from '../webview/markdown';
import { file, hunk, plan } from './plans';

test('the slash commands are those of the documentation', () => {
	const page = readFileSync(new URL('../../../../docs/reference/commands.md', import.meta.url), 'utf8');
	const [, section = ''] = /## Slash commands\n([^]*?)\n## /.exec(page) ?? [];
	const documented = [...section.matchAll(/^\| `(\/[a-z]+)/gm)].map((m) => m[1]).filter((name) => name !== '/send');
	assert.deepEqual(slashCommands.map((s) => s.name).sort(), documented.sort());
});

test('a word is completed until it is complete', () => {
	assert.deepEqual(commandsFor('/re').map((s) => s.label), ['/reject', '/rework', '/revisions', '/retry']);
	assert.deepEqual(commandsFor('/undo'), []);
	assert.deepEqual(commandsFor('/undo 3'), []);
	assert.deepEqual(commandsFor('an /un'), []);
});

test('the server is asked how to go on after an @ and a command, and at no other letter', () => {
	for (const typed of ['@', 'see @a/b', 'see (@"my fi', '/undo ', '/template fi', 'a\n@x']) {
		assert.equal(isForServer(typed), true, typed);
	}
	for (const typed of ['', 'rename a to b', 'me@x', '/un', '/undo 3 and', '@a.go is', 'a /undo 3']) {
		assert.equal(isForServer(typed), false, typed);
	}
});

test('Markdown of a model brings no markup, images or odd links', () => {
	const made = html('<img src=x onerror=alert(1)> **b** ![x](http://h/x.png) [l](javascript:alert(1)) [m](command:x) <script>1</script>');
	assert.ok(!/<(img|script)/i.test(made), made);
	assert.ok(!/href="(javascript|command)/i.test(made), made);
	assert.ok(made.includes('<strong>b</strong>'));
});

test('mentions are found as the server finds them, and can be taken out', () => {
	const names = (text: string) => mentions(text).map((m) => `${m.name} ${text.slice(m.start, m.end)}`);
	assert.deepEqual(names('@a.go and (see @"my file.md"), @b.go:3-9, me@x.org @'), ['a.go @a.go', 'my file.md @"my file.md"', 'b.go:3-9 @b.go:3-9']);
	const take = (text: string, i: number) => without(text, mentions(text)[i] as ReturnType<typeof mentions>[0]);
	assert.deepEqual([take('mend @a.go please', 0), take('@a.go @b.go', 0), take('mend @a.go', 0), take('(@a.go)', 0)], ['mend please', '@b.go', 'mend ', '()']);
});

test('the place in the editor goes with requests, and with no decision', () => {
	for (const text of ['', 'mend it', '/ask why?', '/plan x', ' /new x', '/ is a slash']) {
		assert.equal(isRequest(text), true, text);
	}
	for (const text of ['/approve 1', '/undo', '/with codex', ' /retry']) {
		assert.equal(isRequest(text), false, text);
	}
	assert.deepEqual(read({ type: 'send', text: 'x', place: true }), { type: 'send', text: 'x', place: true });
	assert.deepEqual(read({ type: 'send', text: 'x', place: { uri: 'file:///etc/passwd' } }), { type: 'send', text: 'x' }, 'the page cannot name a file');
	assert.equal(read({ type: 'copy', text: 1 }), undefined);
});

test('messages of the page are not believed unseen', () => {
	assert.deepEqual(read({ type: 'send', text: 'x', more: 1 }), { type: 'send', text: 'x' });
	for (const wrong of [null, 'send', { type: 'send' }, { type: 'act', act: 'erase', plan: 1, revision: 1, hash: '' }, { type: 'act', act: 'approve', plan: '1', revision: 1, hash: '' }]) {
		assert.equal(read(wrong), undefined);
	}
});

test('an approval leaves out what does not fit only where the button said so', () => {
	const act = { type: 'act', act: 'approve', plan: 1, revision: 2, hash: 'h' };
	assert.deepEqual(read(act), { ...act, leaveOut: false });
	assert.deepEqual(read({ ...act, leaveOut: 'yes' }), { ...act, leaveOut: false });
	assert.deepEqual(read({ ...act, leaveOut: true }), { ...act, leaveOut: true });
});

test('the first button of a plan is what it waits for', () => {
	const commands = [{ id: 'c1', command: 'go test ./...', status: 'pending' }];
	const fits = hunk('h1', 1, 1, 1), unfit = hunk('h2', 5, 1, 1, 'stale');
	const labels = (hunks: (typeof fits)[], more = {}) =>
		actions(plan(1, hunks.length > 0 ? [file('a.go', hunks)] : [], more)).map(([act, label, kind]) => `${act} ${kind}: ${label}`);
	assert.deepEqual(labels([fits]).slice(0, 2), ['approve primary: Approve', 'review secondary: Review']);
	assert.deepEqual(labels([fits, unfit])[0], 'approve primary: Approve the rest (1 stale change left out)');
	assert.deepEqual(labels([fits], { commands }).slice(0, 2), ['approve primary: Approve', 'commands secondary: Approve and run 1 command']);
	assert.deepEqual(labels([fits, unfit], { commands })[1], 'commands secondary: Approve the rest and run 1 command');
	for (const decided of ['applied', 'rejected']) {
		const part = [hunk('h0', 0, 1, 1, decided), fits];
		assert.deepEqual(labels(part)[0], 'approve primary: Approve the rest', decided);
		assert.deepEqual(labels([...part, unfit])[0], 'approve primary: Approve the rest (1 stale change left out)', decided);
		assert.deepEqual(labels(part, { commands })[1], 'commands secondary: Approve the rest and run 1 command', decided);
	}
	assert.deepEqual(labels([unfit], { commands })[0], 'commands primary: Run 1 command');
	assert.deepEqual(labels([], { commands })[0], 'commands primary: Run 1 command');
});
