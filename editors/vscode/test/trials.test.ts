import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { read } from '../src/chat/messages';
import { Board } from '../src/core/board';
import { children, planNode } from '../src/core/nodes';
import { failing, isOfTrials, outcome, report, shownTrials, took, triedAs } from '../src/core/trials';
import { isNews, Transcript, triedOn, type TurnEntry } from '../src/core/transcript';
import type { Trial, Trials } from '../src/protocol';
import { actions } from '../src/core/actions';
import { file, hunk, plan } from './plans';

const trial = (id: string, result: string, more: Partial<Trial> = {}): Trial => ({
	id, command: 'go test ./...', revision: 1, exitCode: result === 'passed' ? 0 : 1, durationMs: 2300, baseline: null, current: true, output: 'FAIL\n', verdict: result === 'passed' ? 'passed' : 'fails_now', result, shown: true, ...more,
});
const files = [file('a.go', [hunk('h1', 1, 1, 1)])];
const commands = [{ id: 'o2', command: 'go test ./...', status: 'pending' }];

test('what was tried is in the tree, with what came of it', () => {
	const trials = [trial('t1', 'fails now', { shown: false }), trial('t2', 'fails now'), trial('t3', 'passed', { command: 'make', cwd: 'web', current: false, durationMs: 62_000 })];
	const node = planNode(plan(1, files, { trials }));
	const shown = children(node).filter((n) => n.kind === 'trial');
	assert.deepEqual(shown.map((n) => [n.label, n.description, n.status, n.can]), [
		['go test ./...', 'tried: fails now, after 2.3 s', 'failed', ['output', 'fix']],
		['in web: make', 'tried: passed, after 1 min 2 s, of an earlier text', 'passed', ['output']],
	]);
	assert.ok(node.can.includes('try') && node.can.includes('fix'));
	const done = planNode(plan(1, files, { trials, state: 'completed' }));
	assert.deepEqual([done.can.includes('try'), done.can.includes('fix'), children(done).at(-2)?.can], [false, false, ['output']]);
});

test('a plan can be fixed for what fails on the texts of now, and for nothing else', () => {
	const of = (...trials: Trial[]) => failing(plan(1, files, { trials }))?.id;
	assert.equal(of(trial('t1', 'passed'), trial('t2', 'failed, as it did before')), 't2');
	assert.equal(of(trial('t1', 'fails now', { current: false })), undefined);
	assert.equal(of(trial('t1', 'fails now', { shown: false })), undefined);
	assert.equal(failing(plan(1, files)), undefined, 'a server without trials');
});

test('trials are offered where they are possible, and to be allowed where they can be', () => {
	const acts = (more: object, trials: Trials = 'none', checks = false) => actions(plan(1, files, more), { trials, checks }).map(([act]) => act);
	assert.deepEqual(acts({ commands }, 'allowed').slice(0, 3), ['approve', 'commands', 'try']);
	assert.deepEqual(acts({ commands }, 'ask').slice(0, 3), ['approve', 'commands', 'allow']);
	assert.deepEqual(acts({ commands }, 'none').slice(0, 3), ['approve', 'commands', 'review']);
	assert.deepEqual(acts({}, 'allowed').slice(0, 2), ['approve', 'try'], 'a command can be typed');
	assert.deepEqual(acts({}, 'ask').slice(0, 2), ['approve', 'review'], 'nothing there asks for it');
	assert.deepEqual(acts({}, 'ask', true).slice(0, 2), ['approve', 'allow'], 'the project has checks');
	assert.deepEqual(acts({ commands, trials: [trial('t1', 'fails now')] }, 'allowed').slice(0, 4), ['fix', 'approve', 'commands', 'try']);
	assert.deepEqual(acts({ commands, state: 'completed' }, 'allowed'), ['again', 'preview']);
});

test('what is asked before commands run says how they did in a trial', () => {
	const of = (trials: Trial[], cwd?: string) => triedAs(plan(1, files, { trials }), { id: 'o2', command: 'go test ./...', status: 'pending', ...(cwd !== undefined && { cwd }) });
	assert.equal(of([trial('t1', 'passed')]), 'in a trial: passed');
	assert.equal(of([trial('t1', 'passed')], ''), 'in a trial: passed');
	assert.equal(of([trial('t1', 'failed, as it did before', { cwd: 'web' })], 'web'), 'in a trial: failed, as it did before');
	assert.deepEqual([of([trial('t1', 'passed')], 'web'), of([trial('t1', 'passed', { current: false })]), of([])], [undefined, undefined, undefined]);
});

test('the report of a trial says what was run, on what, and what it printed', () => {
	const one = trial('t1', 'fails now', { exitCode: 1, baseline: { exitCode: 0, durationMs: 1200 }, output: 'FAIL\tx\n', cwd: 'web' });
	assert.equal(report(plan(3, files), one), [
		'$ in web: go test ./...', 'Trial on plan 3, revision 1: fails now, after 2.3 s (exit code 1).',
		"Without the plan's edits: exit code 0, after 1.2 s.", '', 'FAIL\tx', '',
	].join('\n'));
	assert.match(report(plan(3, files), trial('t1', 'did not end', { exitCode: null, output: '', problem: 'It ran longer than 2 min.' })),
		/\(did not exit\)\.\nIt ran longer than 2 min\.\n\nNo output\.\n$/);
	assert.equal(outcome(trial('t1', 'passed', { current: false })), 'passed, after 2.3 s, of an earlier text');
	assert.deepEqual([40, 9_999, 12_400, 119_600].map(took), ['0.0 s', '10.0 s', '12 s', '2 min 0 s']);
	assert.deepEqual(shownTrials(plan(1, files)), []);
});

test('whether there are trials is told as it changes, and forgotten with the server', () => {
	const board = new Board();
	const told: string[] = [];
	board.stood.listen(() => told.push(`${board.standing.trials} ${board.standing.checks}`));
	board.reset({ plans: [], turns: [], model: { provider: '', name: '' }, trials: 'none' });
	board.apply({ kind: 'trials', trials: 'ask' });
	board.apply({ kind: 'trials', trials: 'ask', checks: true });
	board.apply({ kind: 'trials', trials: 'allowed' });
	board.apply({ kind: 'trials', trials: 'allowed' });
	board.reset({ plans: [], turns: [], model: { provider: '', name: '' } });
	assert.deepEqual(told, ['ask false', 'ask true', 'allowed false', 'none false']);
});

test('output is shown while a command is tried, and then is with its plan', () => {
	const t = new Transcript();
	const output = () => (t.all()[0] as TurnEntry).output;
	t.apply({ kind: 'turn.started', turn: 't1', summary: '/try 1' });
	t.apply({ kind: 'trial', turn: 't1', stream: 'stdout', text: '--- FAIL' });
	assert.equal(output(), '--- FAIL');
	t.apply({ kind: 'trial', turn: 't1', trial: trial('t1', 'fails now') });
	assert.equal(output(), '');
	const message = 'Redline: `go test ./...` fails now on what plan 12 proposes, after 2.3 s. (The whole answer is in .redline/chat.md.)';
	assert.equal(triedOn(message), 12);
	assert.equal(triedOn('Redline: plan 12 is ready: 1 file.'), undefined);
	assert.equal(isNews(message, t.all()), false, 'the answer comes after it');
});

test('a click on an output says of which plan and which trial', () => {
	assert.deepEqual(read({ type: 'output', plan: 1, trial: 't1', more: 1 }), { type: 'output', plan: 1, trial: 't1' });
	for (const wrong of [{ type: 'output', plan: '1', trial: 't1' }, { type: 'output', plan: 1 }]) {
		assert.equal(read(wrong), undefined);
	}
});

test('in a workspace that is not trusted nothing offers to try a command', () => {
	const action = (command: string) => ({ title: '', command: { title: '', command } });
	assert.deepEqual(['redline.try', 'redline.allowTrials', 'redline.show'].map((name) => isOfTrials(action(name))), [true, true, false]);
	assert.deepEqual([isOfTrials({ command: 'redline.allowTrials' }), isOfTrials({})], [true, false]);
	const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { menus: Record<string, { command: string; when?: string }[]> } };
	const offers = Object.values(contributes.menus).flat().filter(({ command }) => /^redline\.ui\.(try|tryCommand|allowTrials)$/.test(command));
	assert.equal(offers.length, 6);
	assert.deepEqual(offers.filter(({ when }) => !when?.includes('isWorkspaceTrusted')), []);
	const context = readFileSync('src/context.ts', 'utf8'), view = readFileSync('src/chat/view.ts', 'utf8');
	assert.match(context, /vscode\.workspace\.isTrusted \|\| !isOfTrials\(action\)/);
	assert.match(view, /return vscode\.workspace\.isTrusted \? this\.board\.standing : noTrials;/);
});
