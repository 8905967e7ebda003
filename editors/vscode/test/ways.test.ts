import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { actions } from '../src/core/actions';
import { canUndo, isDecidable, runnable } from '../src/core/plans';
import { planIn, waysOf } from '../src/core/ways';
import type { Hunk, Plan, Trial } from '../src/protocol';
import { file, hunk, plan } from './plans';

/** Returns the values of a Go type in the table of the server. */
function values(page: string, type: string): string[] {
	const text = readFileSync(new URL(`../../../../agent/plan/${page}`, import.meta.url), 'utf8');
	return [...text.matchAll(new RegExp(`^\\t\\w+\\s+(?:${type})\\s+= "(\\w+)"`, 'gm'))].map((m) => m[1] ?? '');
}

const states = values('state.go', 'State').filter((state) => state !== 'idle');
const hunks = values('status.go', 'HunkStatus'), commands = values('status.go', 'CommandStatus');

const trial = (verdict: string): Trial => ({ id: 't1', command: 'make', revision: 1, exitCode: 1, durationMs: 1, baseline: null, current: true, output: '', verdict, result: verdict, shown: true });

/** All states that a card can show: of the plan, its changes, its command and its trial. */
function* all(): Generator<[string, Plan]> {
	const changes: Hunk['status'][][] = [[], ...hunks.map((status) => [status]), ['pending', 'stale'], ['applied', 'pending'], ['applied', 'stale'], ['applied', 'rejected']];
	for (const state of states) {
		for (const change of changes) {
			for (const command of ['', ...commands]) {
				for (const tried of ['', 'passed', 'fails_now', 'fails_as_before', 'could_not_run']) {
					for (const undoable of [false, true]) {
						const files = change.length > 0 ? [file('a.go', change.map((status, i) => hunk(`h${i}`, 5 * i, 1, 1, status)), { status: change[0] ?? '' })] : [];
						yield [[state, ...change, command, tried, undoable].join(' '), plan(1, files, {
							state, undoable, commands: command === '' ? [] : [{ id: 'c1', command: 'make', status: command }], trials: tried === '' ? [] : [trial(tried)],
							...(files.length === 0 && command === '' && { textOnly: true }),
						})];
					}
				}
			}
		}
	}
}

test('the table of states is read from the server', () => {
	assert.deepEqual([states.length, hunks.length, commands.length], [7, 5, 7], JSON.stringify([states, hunks, commands]));
});

test('every state of a card leads on, and says what comes first', () => {
	let seen = 0;
	for (const [name, p] of all()) {
		const list = actions(p, { trials: 'allowed', checks: true }), acts = list.map(([act]) => act);
		seen++;
		assert.equal(new Set(acts).size, acts.length, `${name}: ${acts.join(' ')}`);
		if (p.state === 'drafting' || p.state === 'executing') {
			continue; // the turn that works on it can be cancelled
		}
		const onward = acts.filter((act) => act !== 'preview');
		assert.ok(onward.length > 0, `${name} is a dead end`);
		assert.equal(acts.includes('reject'), isDecidable(p), name);
		assert.ok(isDecidable(p) || canUndo(p) || acts.includes('again'), name);
		if (p.commands.some(({ status }) => status === 'waiting_for_save')) {
			assert.equal(list[0]?.[1], 'Save All and Run', name);
		} else if (isDecidable(p) && p.trials?.some(({ verdict }) => verdict !== 'passed')) {
			assert.equal(list[0]?.[1], 'Fix', name);
		}
		if (p.state === 'failed') {
			assert.ok(acts.includes('fix') && (runnable(p).length === 0 || acts.includes('commands')), `${name}: what failed can be fixed and run again`);
		}
		if (isDecidable(p) && p.files[0]?.hunks.some(({ status }) => status === 'stale')) {
			assert.ok(acts.includes('rework'), name);
		}
	}
	assert.ok(seen > 2000, String(seen));
});

const fits = hunk('h1', 1, 1, 1), unfit = hunk('h2', 5, 1, 1, 'stale');
const open = plan(1, [file('a.go', [fits])]), partly = plan(1, [file('a.go', [fits, unfit])]), gone = plan(1, [file('a.go', [unfit])]);
const failed = plan(1, [], { state: 'failed', commands: [{ id: 'c1', command: 'make', status: 'failed' }] });
const done = plan(1, [file('a.go', [hunk('h1', 1, 1, 1, 'applied')])], { state: 'completed', undoable: true });

/** Each kind of message of the server: what it says, about which plan, and its buttons. */
const messages: [kind: string, text: string, of: Plan | undefined, isError: boolean, labels: string[]][] = [
	['a plan is ready', 'Redline: plan 1 is ready: 1 file, +1 −1. Preview: .redline/plans/0001-r1.md', open, false, ['Review']],
	['a command waits', 'Redline: the command `make` waits until you have saved a.go.', open, false, ['Save All and Run']],
	['edits are not saved', 'Redline: plan 1: 1 change in 1 file applied. Not saved yet: a.go.', done, false, ['Save All']],
	['a plan was applied', 'Redline: plan 1: 1 change in 1 file applied.', done, false, []],
	['some changes are stale', 'Redline: plan 1: 1 change in 1 file applied, 1 change is stale.', partly, true, ['Approve the Rest', 'Rework…', 'Review']],
	['all that waits is stale', 'Redline: plan 1: the lines have changed since.', gone, true, ['Rework…', 'Review']],
	['a trial failed', 'Redline: `make` fails now on what plan 1 proposes, after 0.1 s.', plan(1, [file('a.go', [fits])], { trials: [trial('fails_now')] }), false, ['Fix', 'Show Output']],
	['a trial passed', 'Redline: `make` passed on what plan 1 proposes, after 0.1 s.', plan(1, [file('a.go', [fits])], { trials: [trial('passed')] }), false, ['Show Output']],
	['a command failed', 'Redline: plan 1 stopped at the command `make`: exit code 2', failed, true, ['Fix', 'Review']],
	['the model cannot be asked', 'Redline: The model provider at api.example.com wants a key (401): check it.', undefined, true, ['Set Up a Model…', 'Retry']],
	['a turn failed', 'Redline: the turn failed: the server ended the answer.', undefined, true, ['Retry', 'Open Chat']],
	['a message that cannot be understood', 'Redline: There is no command /nosuch.', undefined, true, ['Open Chat']],
	['news', 'Redline: your message waits behind 1 other turn.', undefined, false, []],
];

test('every kind of message has its next button, and an error always has one', () => {
	for (const [kind, text, of, isError, labels] of messages) {
		assert.equal(of === undefined ? undefined : planIn(text) ?? 1, of?.plan, kind);
		assert.deepEqual(waysOf(text, of, isError).map(({ label }) => label), labels, kind);
	}
	for (const [, p] of all()) {
		assert.ok(waysOf('Redline: plan 1: no.', p, true).length > 0);
	}
});
