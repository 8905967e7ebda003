import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnRows, drawing } from '../src/core/inline';
import { clip, visible } from '../src/core/visible';
import type { Row } from '../src/protocol';

const same = (line: number, other: number): Row => ({ k: 'same', old: line, new: other });
const edit = (line: number, other: number, ...changes: [number, number, number, number][]): Row => ({ k: 'edited', old: line, new: other, changes });
const removed = (line: number): Row => ({ k: 'removed', old: line });
const added = (line: number): Row => ({ k: 'added', new: line });

/** What a line reads like when its edits are made. */
const edited = (line: string, edits: { start: number; end: number; text: string }[]): string =>
	edits.reduceRight((text, e) => text.slice(0, e.start) + e.text + text.slice(e.end), line);

test('a line with another word in it is the same line', () => {
	assert.deepEqual(drawing('func greet() {}\n', 'func salute() {}\n', [edit(0, 0, [5, 10, 5, 11])]), {
		gone: [], edited: [{ line: 0, edits: [{ start: 5, end: 10, text: 'salute' }] }], come: [], hidden: 0,
	});
});

test('a line with more edits than can be read goes, and the new one comes', () => {
	const edits = Array.from({ length: 7 }, (_, i): [number, number, number, number] => [2 * i, 2 * i + 1, 2 * i, 2 * i + 1]);
	assert.deepEqual(drawing('a a a a a a a b\n', 'c c c c c c c b\n', [edit(0, 0, ...edits)]), {
		gone: [0], edited: [], come: [{ line: 0, text: 'c c c c c c c b', more: 0, instead: true }], hidden: 0,
	});
});

test('what comes after an edited line is below it', () => {
	const { edited: [only], come } = drawing(
		'\treturn sum\n', '\treturn sum - Discount(sum, 0)\n}\n\nfunc Discount(sum, percent int) int {\n\tif percent <= 0 {\n\t\treturn 0\n\t}\n',
		[edit(0, 0, [11, 11, 11, 30]), added(1), added(2), added(3), added(4), added(5), added(6)],
	);
	assert.deepEqual(only, { line: 0, edits: [{ start: 11, end: 11, text: ' - Discount(sum, 0)' }] });
	assert.deepEqual(come, [{ line: 0, text: '}', more: 5, instead: false }]);
});

test('without rows, or with those of other texts, old lines go and new lines come', () => {
	const plain = { gone: [0], edited: [], come: [{ line: 0, text: 'func salute() {}', more: 0, instead: true }], hidden: 0 };
	for (const rows of [undefined, [], [edit(0, 0, [5, 10, 5, 11]), added(1)], [removed(0)], [same(0, 0), same(1, 1)]]) {
		assert.deepEqual(drawing('func greet() {}\n', 'func salute() {}\n', rows), plain);
	}
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
	const { edited: changed, come } = drawing(
		'func total(a int) int {\n\treturn a\n', 'func total(a, b int) int {\n\tif b > 9 {\n\t\treturn b\n\t}\n\treturn a\n',
		[edit(0, 0, [12, 12, 12, 15]), added(1), added(2), added(3), same(1, 4)],
	);
	assert.deepEqual(changed, [{ line: 0, edits: [{ start: 12, end: 12, text: ', b' }] }]);
	assert.deepEqual(come, [{ line: 0, text: '\tif b > 9 {', more: 2, instead: false }]);
});

test('lines that only go are all drawn', () => {
	assert.deepEqual(drawing('a\nb\nc\n', ''), { gone: [0, 1, 2], edited: [], come: [], hidden: 0 });
	assert.deepEqual(drawing('a\nb\nc\n', 'a\nc\n', [same(0, 0), removed(1), same(2, 1)]).gone, [1]);
});

test('the ends of lines are no part of them', () => {
	assert.deepEqual(drawing('a\r\nb\r\n', 'a\r\nc\r\n', [same(0, 0), removed(1), added(1)]).gone, [1]);
	assert.deepEqual(drawing('a\n', 'a', [{ k: 'edited', old: 0, new: 0 }]), { gone: [], edited: [], come: [], hidden: 0 });
});

test('a large change takes no time', () => {
	const lines = (word: string, n: number) => Array.from({ length: n }, (_, i) => `${word} ${i}`).join('\n') + '\n';
	const start = performance.now();
	const { gone, come, hidden, column } = drawing(lines('old', 5000), lines('new', 6000));
	assert.equal(gone.length, 5000);
	assert.deepEqual([come.length, hidden, column?.length], [0, 0, 6000]);
	assert.ok(performance.now() - start < 5000);
});

test('every line is told once, whatever the change is', () => {
	let seed = 7;
	const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
	for (let round = 0; round < 2000; round++) {
		const old: string[] = [], now: string[] = [];
		const rows = Array.from({ length: random(8) }, (): Row => {
			const line = `line ${old.length}`, other = ['', '\ty = 1', `new ${now.length}`][random(3)] ?? '';
			switch (random(4)) {
				case 0: return same(old.push(line) - 1, now.push(line) - 1);
				case 1: return edit(old.push(line) - 1, now.push(line + '!') - 1, ...Array.from({ length: 1 + random(9) }, (_, i): [number, number, number, number] =>
					(i === 0 ? [0, line.length, 0, line.length + 1] : [line.length, line.length, line.length + 1, line.length + 1])));
				case 2: return removed(old.push(line) - 1);
				default: return added(now.push(other) - 1);
			}
		});
		const { gone, edited: changed, come, column } = drawing(old.map((l) => l + '\n').join(''), now.map((l) => l + '\n').join(''), rows);
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

test('what is drawn can be seen, and is not long', () => {
	assert.equal(visible('\ta  b', 2), '\u00a0\u00a0a\u00a0\u00a0b');
	assert.equal(visible('x\u202ey\u200bz\u0007', 4), 'x⟨U+202E⟩y⟨U+200B⟩z⟨U+0007⟩');
	assert.equal(clip('abcdef', 4), 'abc…');
	assert.equal(clip('abcd', 4), 'abcd');
	assert.equal(clip('😀😀😀', 2), '😀…');
});
