import assert from 'node:assert/strict';
import { test } from 'node:test';
import { common } from '../src/core/common';
import { columnRows, drawing } from '../src/core/inline';
import { clip, visible } from '../src/core/visible';
import { lineEdit } from '../src/core/words';

/** What a line reads like when its edits are made. */
const edited = (line: string, edits: { start: number; end: number; text: string }[]): string =>
	edits.reduceRight((text, e) => text.slice(0, e.start) + e.text + text.slice(e.end), line);

test('the words of a line that go and come', () => {
	const show = (before: string, after: string) => {
		const { edits } = lineEdit(before, after);
		assert.equal(edited(before, edits), after);
		return edits.map((e) => [before.slice(e.start, e.end), e.text]);
	};
	assert.deepEqual(show('func greet() {}', 'func salute() {}'), [['greet', 'salute']]);
	assert.deepEqual(show('return sum', 'return sum - Discount(sum, discount)'), [['', ' - Discount(sum, discount)']]);
	assert.deepEqual(show('f(a, b)', 'f(a)'), [[', b', '']]);
	assert.deepEqual(show('one two three', 'uno dos three'), [['one two', 'uno dos']], 'words beside each other are one edit');
	assert.deepEqual(show('x', 'x'), []);
	assert.deepEqual(show('', 'x'), [['', 'x']]);
	assert.deepEqual(show('Größe = 1', 'Länge = 1'), [['Größe', 'Länge']]);
	assert.equal(lineEdit('a'.repeat(3000), 'b').similarity, 0);
});

test('a line with another word in it is the same line', () => {
	assert.deepEqual(drawing('func greet() {}\n', 'func salute() {}\n'), {
		gone: [], edited: [{ line: 0, edits: [{ start: 5, end: 10, text: 'salute' }] }], come: [], hidden: 0,
	});
});

test('a line is found again where most of it has stayed', () => {
	const { edited: [only], come } = drawing('\treturn sum\n', '\treturn sum - Discount(sum, 0)\n}\n\nfunc Discount(sum, percent int) int {\n\tif percent <= 0 {\n\t\treturn 0\n\t}\n');
	assert.deepEqual(only, { line: 0, edits: [{ start: 11, end: 11, text: ' - Discount(sum, 0)' }] });
	assert.deepEqual(come, [{ line: 0, text: '}', more: 5, instead: false }]);
	assert.deepEqual(drawing('}\n', 'if x {}\n').gone, [0]);
});

test('lines that have nothing in common go, and what comes is beside them', () => {
	assert.deepEqual(drawing('alpha\nbeta\n', 'x := compute(1)\n'), {
		gone: [0, 1], edited: [], come: [{ line: 0, text: 'x := compute(1)', more: 0, instead: true }], hidden: 0,
	});
});

const was = ['func sum(items []Item) int {', '\ttotal := 0', '\tfor _, item := range items {', '\t\ttotal += item.Price', '\t}', '\treturn total', '}'];
const is = ['func sum(items []Item) (int, error) {', '\tif len(items) == 0 {', '\t\treturn 0, errEmpty', '\t}', '\tprices := pricesOf(items)', '\tslices.Sort(prices)', '\treturn add(prices), nil', '}'];
const whole = (lines: string[]) => lines.map((line) => line + '\n').join('');

test('what old lines cannot carry is a rewrite: they go, and the new ones are a column', () => {
	const { gone, edited: changed, come, column } = drawing(whole(was.slice(0, 6)), whole(is.slice(0, 7)));
	assert.deepEqual({ changed, come, column }, { changed: [], come: [], column: is.slice(0, 7) });
	assert.ok(gone.length >= 5);
	assert.deepEqual(drawing('alpha\n', 'x := 1\ny := 2\nz := 3\n'), { gone: [0], edited: [], come: [], hidden: 0, column: ['x := 1', 'y := 2', 'z := 3'] });
});

test('a column stands at the right of the longest line, and says what it does not show', () => {
	const rows = columnRows(['\ta', 'bcd', 'e'], ['one', '\ttwo!', 'three'], 4);
	assert.deepEqual(rows, [
		{ line: 0, margin: 8, text: '+     a' }, { line: 1, margin: 3, text: '+ bcd  ' }, { line: 2, margin: 6, text: '+ e    ' },
	]);
	assert.deepEqual(columnRows(['a', 'b', 'c'], ['x', 'y'], 4).map(({ text }) => text.trimEnd()), ['+ a', '+ … +2 more lines']);
	const many = Array.from({ length: 40 }, (_, i) => String(i));
	assert.deepEqual([columnRows(many, many, 4).length, columnRows(many, many, 4).at(-1)?.text.trimEnd()], [15, '+ … +26 more lines']);
	assert.deepEqual(columnRows(['a'], ['x'.repeat(500)], 4), [{ line: 0, margin: 3, text: '+ a' }]);
});

test('lines that only come are below the line above, and the first with a text is drawn', () => {
	assert.deepEqual(drawing('', '\nfunc f() {\n}\n').come, [{ line: -1, text: 'func f() {', more: 2, instead: false }]);
	const { edited: same, come } = drawing('func total(a int) int {\n\treturn a\n', 'func total(a, b int) int {\n\tif b > 9 {\n\t\treturn b\n\t}\n\treturn a\n');
	assert.deepEqual(same, [{ line: 0, edits: [{ start: 12, end: 12, text: ', b' }] }]);
	assert.deepEqual(come, [{ line: 0, text: '\tif b > 9 {', more: 2, instead: false }]);
});

test('lines that only go are all drawn', () => {
	assert.deepEqual(drawing('a\nb\nc\n', ''), { gone: [0, 1, 2], edited: [], come: [], hidden: 0 });
	assert.deepEqual(drawing('a\nb\nc\n', 'a\nc\n').gone, [1]);
});

test('the ends of lines are no part of them', () => {
	assert.deepEqual(drawing('a\r\nb\r\n', 'a\r\nc\r\n').gone, [1]);
	assert.deepEqual(drawing('a\n', 'a'), { gone: [], edited: [], come: [], hidden: 0 });
});

test('a large change takes no time', () => {
	const lines = (word: string, n: number) => Array.from({ length: n }, (_, i) => `${word} ${i}`).join('\n') + '\n';
	const start = performance.now();
	const { gone, come, hidden, column } = drawing(lines('old', 5000), lines('new', 6000));
	assert.equal(gone.length, 5000);
	assert.deepEqual([come.length, hidden, column?.length], [0, 0, 6000]);
	drawing(lines('word one', 150), lines('word two', 150));
	lineEdit('a b '.repeat(500), 'b c '.repeat(500));
	assert.ok(performance.now() - start < 5000);
});

test('every line is told once, whatever the change is', () => {
	let seed = 7;
	const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
	const some = () => Array.from({ length: random(7) }, () => ['alpha beta', 'alpha gamma', 'x', '', '\ty = 1', '}'][random(6)] ?? '');
	for (let round = 0; round < 2000; round++) {
		const old = some(), now = some();
		const { gone, edited: changed, come, column } = drawing(old.map((l) => l + '\n').join(''), now.map((l) => l + '\n').join(''));
		const kept = old.length - gone.length - changed.length;
		assert.equal(new Set([...gone, ...changed.map((e) => e.line)]).size, gone.length + changed.length);
		if (column) {
			assert.deepEqual(column, now);
			continue;
		}
		assert.equal(kept + changed.length + come.reduce((n, c) => n + 1 + c.more, 0), now.length, JSON.stringify({ old, now }));
		assert.ok(come.every((c) => c.line >= -1 && c.line < old.length && now.includes(c.text)));
		assert.ok(changed.every((e) => now.includes(edited(old[e.line] ?? '', e.edits))));
	}
});

test('the longest common subsequence', () => {
	assert.deepEqual(common(['a', 'b', 'c', 'd'], ['a', 'c', 'x', 'd']), [[0, 0], [2, 1], [3, 3]]);
	assert.deepEqual(common([], ['a']), []);
	const many = Array.from({ length: 3000 }, (_, i) => String(i));
	assert.deepEqual(common(['a', ...many, 'z'], ['a', ...many.map((n) => 'x' + n), 'z']), [[0, 0], [3001, 3001]], 'what is too large has its ends in common');
});

test('what is drawn can be seen, and is not long', () => {
	assert.equal(visible('\ta  b', 2), '\u00a0\u00a0a\u00a0\u00a0b');
	assert.equal(visible('x\u202ey\u200bz\u0007', 4), 'x⟨U+202E⟩y⟨U+200B⟩z⟨U+0007⟩');
	assert.equal(clip('abcdef', 4), 'abc…');
	assert.equal(clip('abcd', 4), 'abcd');
	assert.equal(clip('😀😀😀', 2), '😀…');
});
