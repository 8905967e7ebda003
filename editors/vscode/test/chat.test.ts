import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { read } from '../src/chat/messages';
import { completions, slashCommands } from '../src/core/slash';
import { html } from '../webview/markdown';

test('the slash commands are those of the documentation', () => {
	const page = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');
	const [, section = ''] = /## Slash commands\n([^]*?)\n## /.exec(page) ?? [];
	const documented = [...section.matchAll(/^\| `(\/[a-z]+)/gm)].map((m) => m[1]).filter((name) => name !== '/send');
	assert.deepEqual(slashCommands.map((s) => s.name).sort(), documented.sort());
});

test('a word is completed until it is complete', () => {
	assert.deepEqual(completions('/re').map((s) => s.name), ['/reject', '/rework', '/revisions', '/retry']);
	assert.deepEqual(completions('/undo'), []);
	assert.deepEqual(completions('/undo 3'), []);
	assert.deepEqual(completions('an /un'), []);
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
