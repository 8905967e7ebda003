// The lines of a hunk as a table: in one column, or old and new side by side.
import { append, button, count, element } from './element';
import type { Hunk, Moved, Row, Side } from './types';

export type Layout = 'unified' | 'split';

const signs = { same: ' ', removed: '−', added: '+' };

/** The side on which a row's line is commented on. */
export const sideOf = (row: Row): Side => row.k === 'removed' ? 'old' : 'new';

/** The number of a row's line on that side. */
export const lineOf = (row: Row): number => (row.k === 'removed' ? row.old : row.new ?? row.old) ?? 0;

/** Draws rows as a table. A row of the table has data-line and data-side, on which comments are made. */
export function table(rows: readonly Row[], layout: Layout, label: string, moved: readonly Moved[] = []): HTMLTableElement {
	const made = element('table', { class: `rows ${layout}`, 'aria-label': label }, columns(layout));
	const body = element('tbody');
	const starts = new Map<Row | undefined, Moved>(), all = new Set<Row | undefined>();
	for (const one of moved) {
		starts.set(rows[one.row], one);
		rows.slice(one.row, one.row + one.rows).forEach((row) => all.add(row));
	}
	for (const pair of layout === 'unified' ? rows.map((row): [Row, undefined] => [row, undefined]) : pairs(rows)) {
		for (const row of new Set(pair)) {
			const one = starts.get(row);
			if (one !== undefined && row !== undefined) {
				body.append(element('tr', { class: 'move' }, element('td', { colspan: layout === 'split' ? '4' : '3' }, note(row, one))));
			}
		}
		const [left, right] = pair;
		const drawn = layout === 'unified' ? unified(left as Row) : split(left, right);
		const cells = drawn.querySelectorAll('td.code');
		pair.forEach((row, i) => all.has(row) && cells[i]?.classList.add('moved'));
		body.append(drawn);
	}
	made.append(body);
	return made;
}

/** Says where moved lines come from or go to, and leads there. */
function note(row: Row, { path, line, rows, hunk }: Moved): HTMLElement {
	const made = button('go-to', `${count(rows, 'line')} moved ${row.k === 'added' ? 'from' : 'to'} `, { class: 'link', 'data-hunk': hunk });
	append(made, `${path}, line ${line}`);
	return made;
}

function columns(layout: Layout): HTMLTableColElement {
	const group = element('colgroup');
	for (const kind of layout === 'unified' ? ['number', 'number', 'code'] : ['number', 'code', 'number', 'code']) {
		group.append(element('col', kind === 'number' ? { class: 'numbers' } : {}));
	}
	return group;
}

/** Puts removed lines beside the added ones that follow them: an edited line beside what it was, the others in order. */
export function pairs(rows: readonly Row[]): [Row | undefined, Row | undefined][] {
	const all: [Row | undefined, Row | undefined][] = [];
	let removed: Row[] = [], added: Row[] = [];
	const flush = () => {
		let i = 0, j = 0;
		const until = (p: number, q: number) => {
			while (i < p || j < q) {
				all.push([i < p ? removed[i++] : undefined, j < q ? added[j++] : undefined]);
			}
		};
		added.forEach((row, q) => {
			const p = (row.from ?? 0) - (removed[0]?.old ?? 0);
			if (row.from !== undefined && p >= i && removed[p]?.old === row.from) {
				until(p, q);
				all.push([removed[i++], added[j++]]);
			}
		});
		until(removed.length, added.length);
		[removed, added] = [[], []];
	};
	for (const row of rows) {
		if (row.k === 'added') {
			added.push(row);
			continue;
		}
		if (row.k === 'same' || added.length > 0) {
			flush();
		}
		if (row.k === 'same') {
			all.push([row, row]);
		} else {
			removed.push(row);
		}
	}
	flush();
	return all;
}

function unified(row: Row): HTMLTableRowElement {
	const made = element('tr', { class: row.k, 'data-line': `${lineOf(row)}`, 'data-side': sideOf(row) });
	made.append(number(row.k === 'added' ? undefined : row.old), number(row.k === 'removed' ? undefined : row.new), code(row));
	return made;
}

function split(left: Row | undefined, right: Row | undefined): HTMLTableRowElement {
	const main = right ?? left;
	const made = element('tr', main && { 'data-line': `${lineOf(main)}`, 'data-side': sideOf(main) });
	for (const [row, side] of [[left, 'old'], [right, 'new']] as const) {
		const n = number(side === 'old' ? row?.old : row?.new), text = row ? code(row) : element('td', { class: 'code none' });
		for (const cell of row && row.k !== 'same' ? [n, text] : []) {
			cell.classList.add(row?.k ?? '');
			cell.dataset.line = `${lineOf(row ?? main as Row)}`;
			cell.dataset.side = side;
		}
		made.append(n, text);
	}
	return made;
}

function number(n: number | undefined): HTMLTableCellElement {
	const cell = document.createElement('td');
	cell.className = 'number';
	if (n !== undefined) {
		cell.textContent = `${n}`;
	}
	return cell;
}

function code(row: Row): HTMLTableCellElement {
	const cell = document.createElement('td');
	cell.className = 'code';
	if (row.k !== 'same') {
		cell.append(element('span', { class: 'sign' }, signs[row.k]));
	}
	let from = 0;
	for (const [start, end] of row.marks ?? []) {
		if (start >= from && end > start && end <= row.text.length) {
			append(cell, row.text.slice(from, start));
			const mark = element('mark');
			append(mark, row.text.slice(start, end));
			cell.append(mark);
			from = end;
		}
	}
	append(cell, row.text.slice(from));
	if (row.k !== 'same' && row.end !== undefined) {
		cell.append(element('span', { class: 'end' }, row.end === 'none' ? 'no line end' : row.end.toUpperCase()));
	}
	return cell;
}

/** Returns the rows from the first changed one to the last: what the hunk itself has. */
export function changed(hunk: Hunk): Row[] {
	const first = hunk.rows.findIndex(({ k }) => k !== 'same'), last = hunk.rows.findLastIndex(({ k }) => k !== 'same');
	return first < 0 ? [] : hunk.rows.slice(first, last + 1);
}

/** Returns lines that were typed in place of others, with the line ends that those have. */
export function typed(before: string, text: string): string {
	const plain = text.replace(/\r\n?|\n/g, '\n');
	const whole = plain === '' || plain.endsWith('\n') || (before !== '' && !/[\r\n]$/.test(before)) ? plain : `${plain}\n`;
	const end = /\r\n|\r|\n/.exec(before)?.[0] ?? '\n';
	return whole.replaceAll('\n', end);
}
