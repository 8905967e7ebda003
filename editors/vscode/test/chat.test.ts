import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { read } from '../src/chat/messages';
import { commandsFor, isForServer, slashCommands } from '../src/core/slash';
import { html } from '../webview/markdown';

test('the slash commands are those of the documentation', () => {
	const page = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');
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

test('messages of the page are not believed unseen', () => {
	assert.deepEqual(read({ type: 'send', text: 'x', more: 1 }), { type: 'send', text: 'x' });
	for (const wrong of [null, 'send', { type: 'send' }, { type: 'act', act: 'erase', plan: 1, revision: 1, hash: '' }, { type: 'act', act: 'approve', plan: '1', revision: 1, hash: '' }]) {
		assert.equal(read(wrong), undefined);
	}
});
