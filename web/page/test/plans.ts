// Plans for the tests: answers of /api/plan as the server makes them.
import type { Answer, File, Hunk, Row } from '../src/types';

const hash = (n: number): string => `sha256:${`${n}`.padStart(2, '0').repeat(32)}`;

/** A hunk that changes one word of one line, with context. */
export function hunk(id: string, line: number, word = 'total', more: Partial<Hunk> = {}): Hunk {
	const same = (n: number): Row => ({ k: 'same', old: n, new: n, text: `	line${n} := compute(${n})` });
	const rows: Row[] = [
		...[line - 3, line - 2, line - 1].filter((n) => n > 0).map(same),
		{ k: 'removed', old: line, text: `	return sum(${word})`, marks: [[12, 12 + word.length]] },
		{ k: 'added', new: line, text: '	return sum(items)', marks: [[12, 17]] },
		...[line + 1, line + 2, line + 3].map(same),
	];
	return { id, status: 'pending', added: 1, removed: 1, match: 'exact', at: line, by: ['o1'], rows, ...more };
}

export function file(id: string, path: string, hunks: Hunk[], more: Partial<File> = {}): File {
	return { id, path, action: 'update', status: 'pending', language: 'go', lines: 120, hunks, added: hunks.reduce((n, one) => n + one.added, 0), removed: hunks.reduce((n, one) => n + one.removed, 0), ...more };
}

export function answer(files: File[], more: Partial<Answer['plan']> = {}, rest: Partial<Answer> = {}): Answer {
	return {
		workspace: 'shop', version: '0.1.0', static: false, offline: true, editor: { open: false }, view: { files }, seen: 0, seenFiles: [], canApprove: true, decision: null, ended: false,
		plan: {
			plan: 3, goal: 'Sum the items, not the total', state: 'awaiting_approval', revision: 1, hash: hash(1), by: 'model', description: 'The sum was of the wrong list.', steps: [], operations: [], commands: [],
			trials: [], problems: null, revisions: [{ revision: 1, author: 'model', hash: hash(1), created: '2026-11-29T01:00:00Z' }], comments: [], ...more,
		}, ...rest,
	};
}

const added = (texts: string[]): Row[] => texts.map((text, i) => ({ k: 'added', new: i + 1, text }));
const removed = (texts: string[]): Row[] => texts.map((text, i) => ({ k: 'removed', old: i + 1, text }));

/** A plan with all that a page has: renamed, new and deleted files, commands, trials, problems, an outside agent. */
export function rich(): Answer {
	const lines = ['#!/bin/sh', 'set -e', 'go test ./...'];
	return answer([
		file('f1', 'shop/prices.go', [hunk('h1', 12), hunk('h2', 40, 'prices', { match: 'look-alikes' }), hunk('h3', 43, 'more', { joined: true })]),
		file('f2', 'shop/basket/cart.go', [hunk('h4', 90, 'cart', { changedSince: true })], { from: 'shop/cart.go', action: 'rename', whole: true }),
		file('f3', 'scripts/check.sh', [{ id: 'h5', status: 'pending', added: 3, removed: 0, rows: added(lines) }], { action: 'create', mode: '0755', language: 'sh' }),
		file('f4', 'shop/old.go', [{ id: 'h6', status: 'pending', added: 0, removed: 2, rows: removed(['package shop', 'var unused = 1']) }], { action: 'delete' }),
		file('f5', 'shop/tax.go', [hunk('h7', 7, 'tax', { status: 'stale', reason: 'Line 7 has changed since the plan was made.' }), hunk('h8', 30)], { status: 'pending', syntax: 'line 12: expected )' }),
		file('f6', 'notes/new-name.md', [], { from: 'notes/name.md', action: 'rename', whole: true }),
	], {
		by: 'claude', revision: 2, hash: hash(2),
		steps: [{ id: 's1', description: 'Sum the items', status: 'pending', rationale: 'The total was counted twice.', risk: 'Callers that relied on it' }, { id: 's2', description: 'Test it', status: 'pending' }],
		commands: [{ id: 'o7', command: 'go test ./shop/...', status: 'pending' }, { id: 'o8', command: 'npm run build && npm test', cwd: 'web', status: 'pending', rule: 'allow npm' }],
		trials: [
			{ id: 't1', command: 'go test ./shop/...', revision: 2, durationMs: 2310, current: true, verdict: 'passed', result: 'passes', output: 'ok shop 0.2s', shown: true },
			{ id: 't2', command: 'go vet ./...', revision: 2, durationMs: 910, current: true, verdict: 'fails_now', result: 'fails now (exit 1)', output: 'shop/tax.go:12:3: expected )', shown: true },
			{ id: 't3', command: 'npm test', cwd: 'web', revision: 1, durationMs: 61_000, current: false, verdict: 'still_fails', result: 'still fails', shown: true },
		],
		problems: { added: [{ path: 'shop/tax.go', range: { start: { line: 29, character: 1 } }, severity: 'error', message: 'undefined: items', source: 'compiler', code: 'UndeclaredName' }], fixed: 2, checked: [{ language: 'go', server: 'gopls', state: 'checked' }] },
		refused: [{ path: 'vendor/x.go', reason: 'Redline does not change what a tool has made.' }],
		revisions: [{ revision: 1, author: 'claude', hash: hash(1), created: '' }, { revision: 2, author: 'user', hash: hash(2), created: '', note: 'edited shop/prices.go' }],
	}, { seen: 1, seenFiles: ['f4'] });
}

/** A plan that moves two lines from one file to another. */
export function moving(): Answer {
	const plan = rich(), [from, to] = [plan.view.files[3]!.hunks[0]!, plan.view.files[2]!.hunks[0]!];
	from.moved = [{ row: 0, rows: 2, path: 'scripts/check.sh', line: 2, hunk: to.id }];
	to.moved = [{ row: 1, rows: 2, path: 'shop/old.go', line: 1, hunk: from.id }];
	return plan;
}

/** A plan of many hunks. */
export function huge(files = 40, each = 50): Answer {
	return answer(Array.from({ length: files }, (_, f) => file(`f${f}`, `pkg/part${f % 7}/file${f}.go`, Array.from({ length: each }, (_, h) => hunk(`h${f * each + h}`, h * 30 + 10, `word${h}`)))), { goal: 'Rename everything' });
}

/** Texts that would do harm if a page took them for markup, in each place that a plan has. */
export function hostile(): Answer {
	const bad = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
	const one = hunk('h1', 5, 'total', { match: bad, reason: bad });
	one.rows[3] = { k: 'removed', old: 5, text: bad, marks: [[3, 9], [-4, 2], [7, 9999], [20, 10]] };
	one.rows[4] = { k: 'added', new: 5, text: `"></td></table>${bad}\u202e\u200b\u0000`, end: 'none' };
	return answer([
		file('f1"><b>', `${bad}/\u202egpj.exe`, [one], { mode: bad, reason: bad, syntax: bad }),
		file('__proto__', '__proto__', [hunk('constructor', 5)]),
		file('f3', 'javascript:alert(1)', [hunk('h"]', 9)], { action: bad, status: bad }),
	], {
		goal: bad, by: bad, description: bad, state: bad, steps: [{ id: bad, description: bad, status: bad, rationale: bad, risk: bad }],
		commands: [{ id: '"]', command: `rm -rf / \u202e; ${bad}`, cwd: bad, status: 'pending', reason: bad, waits: bad, rule: bad }],
		trials: [{ id: bad, command: bad, cwd: bad, revision: 1, durationMs: 1, current: true, verdict: bad, result: bad, output: bad, problem: bad }],
		problems: { added: [{ path: bad, range: { start: { line: 0, character: 0 } }, severity: bad, message: bad, source: bad, code: bad }], fixed: 0, checked: [{ language: bad, server: bad, state: bad }] },
		refused: [{ path: bad, reason: bad }], unfinished: [bad], revisions: [{ revision: 1, author: bad, hash: bad, created: bad, note: bad }, { revision: 2, author: bad, hash: bad, created: bad, note: bad }],
		comments: [{ id: 'c1', path: `${bad}/\u202egpj.exe`, line: 5, side: 'new', text: bad, author: bad }],
	}, { workspace: bad });
}
