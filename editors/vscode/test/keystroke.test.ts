import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

test('nothing listens to keystrokes: the client library sends them to the server, and that is all', () => {
	const src = new URL('../../src/', import.meta.url);
	const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
	assert.ok(files.length > 20, 'does this test still look in the right place?');
	for (const name of files) {
		const all = readFileSync(new URL(name, src), 'utf8');
		const text = /^ui.proposed\.ts$/.test(name) ? all.replace('onWillSaveTextDocument', '') : all; // it notes why the editor saves a proposed text
		const found = /\bon(DidChangeTextDocument|WillSaveTextDocument|DidChangeTextEditorSelection|DidChangeTextEditorVisibleRanges)\b|registerTypeEditingCommand|'type'\s*,\s*\(/.exec(text);
		assert.equal(found?.[0], undefined, `${name} does work while the user types`);
	}
});
