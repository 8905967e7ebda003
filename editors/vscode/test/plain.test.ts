import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../src/core/plain';

/** How VS Code finds links in notifications (src/vs/base/common/linkedText.ts). */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

test('a notification makes no links', () => {
	for (const text of ['[x](command:workbench.action.quit)', '[[x]](command:a)', '[x](](command:a)', 'a [b](https://e.test "c") d', '[x](file:///etc/passwd)', '](['.repeat(5) + '[x](command:a)']) {
		assert.doesNotMatch(plain(text), link);
	}
	assert.equal(plain('a.go: f(x[1]) (2 files)'), 'a.go: f(x[1]) (2 files)');
});
