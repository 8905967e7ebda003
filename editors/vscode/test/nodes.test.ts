import assert from 'node:assert/strict';
import { test } from 'node:test';
import { children, operationsOn, planNode, spoken } from '../src/core/nodes';
import { commandLine, previewed, runnable } from '../src/core/plans';
import { file, hunk, plan } from './plans';

test('one step is no level of its own; several are', () => {
	const files = [file('a', [hunk('h1', 1, 1, 1), hunk('h2', 5, 1, 1)]), file('b', [hunk('h3', 0, 2, 0)])];
	const one = planNode(plan(1, files));
	assert.deepEqual(children(one).map((n) => [n.kind, n.label]), [['file', 'a'], ['file', 'b']]);
	assert.deepEqual(children(children(one)[0]!).map((n) => n.label), ['Line 2', 'Line 6']);
	assert.deepEqual(children(children(one)[1]!), [], 'a file with one change is that change');

	const step = (id: string) => ({ id, description: `step ${id}`, status: 'pending', rationale: '', risk: '' });
	const operations = [{ id: 'o1', step: 's1', tool: 'edit_file', path: 'a', status: '' }, { id: 'o2', step: 's2', tool: 'apply_patch', paths: ['b'], status: '' }];
	const two = planNode(plan(1, files, { steps: [step('s1'), step('s2')], operations }));
	assert.deepEqual(children(two).map((n) => [n.kind, children(n).map((c) => c.label)]), [['step', ['a']], ['step', ['b']]]);
});

test('a decision names what is shown: plan, revision, hash and the narrowest part', () => {
	const p = plan(3, [file('a', [hunk('h1', 1, 1, 1), hunk('h2', 5, 1, 1)])], { revision: 2, hash: 'sha256:x' });
	const f = children(planNode(p))[0]!;
	assert.deepEqual(f.scope, { plan: 3, revision: 2, hash: 'sha256:x', path: 'a' });
	assert.deepEqual(children(f)[1]?.scope, { plan: 3, revision: 2, hash: 'sha256:x', path: 'a', hunk: 'h2' });
});

test('only what can be done is offered', () => {
	const can = (p: Parameters<typeof planNode>[0]) => planNode(p).can;
	assert.deepEqual(can(plan(1, [file('a', [hunk('h1', 1, 1, 1)])])), ['show', 'approve', 'reject', 'rework', 'review', 'try']);
	assert.deepEqual(can(plan(1, [file('a', [hunk('h1', 1, 1, 1, 'applied')])], { state: 'completed', undoable: true })), ['show', 'undo']);
	const edited = plan(1, [file('b', [hunk('h2', 1, 1, 1)])], { revision: 2, undoable: true }); // a file of the first is applied
	assert.deepEqual(can(edited), ['show', 'approve', 'reject', 'rework', 'review', 'undo', 'try']);
	assert.deepEqual(can(plan(1, [file('a', [hunk('h1', 1, 1, 1)])], { state: 'executing' })), ['show']);
	const stale = children(planNode(plan(1, [file('a', [hunk('h1', 1, 1, 1, 'stale'), hunk('h2', 4, 1, 1)])])))[0]!;
	assert.deepEqual(children(stale).map((n) => n.can), [['go', 'reject'], ['go', 'reject', 'approve']]);
	const commands = children(planNode(plan(1, [], { commands: [{ id: 'o9', command: 'go test', status: 'pending' }] , operations: [{ id: 'o9', step: 's1', tool: 'run_command', status: '' }] })));
	assert.deepEqual(commands.map((n) => [n.kind, n.can, n.scope.operation]), [['command', ['run', 'reject', 'unstage'], 'o9']]);
	const failed = (verdict?: 'fails_as_before' | 'fails_now') => {
		const p = plan(1, [], { state: 'completed', commands: [{ id: 'o9', command: 'go test', status: 'failed', exitCode: 1, ...(verdict && { verdict }) }], operations: [{ id: 'o9', step: 's1', tool: 'run_command', status: '' }] });
		return children(planNode(p))[0]!.description;
	};
	assert.deepEqual([failed(), failed('fails_as_before'), failed('fails_now')], ['failed (exit 1)', 'failed, as it does without this plan (exit 1)', 'failed, because of this plan (exit 1)']);
});

test('what is taken out can be put back, and what is applied cannot be taken out', () => {
	const files = [file('a', [hunk('h1', 1, 1, 1)]), file('b', [hunk('h2', 1, 1, 1, 'applied')], { status: 'applied' })];
	const takenOut = [{ id: 'o3', step: 's1', tool: 'edit_file', path: 'c', status: 'taken_out' }, { id: 'o4', step: 's1', tool: 'run_command', command: 'go test', status: 'taken_out' }];
	const p = plan(1, files, { takenOut, undoable: true });
	assert.deepEqual(children(planNode(p)).map((n) => [n.kind, n.label, n.can.filter((c) => c.endsWith('stage'))]),
		[['file', 'a', ['unstage']], ['file', 'b', []], ['operation', 'c', ['restage']], ['operation', 'go test', ['restage']]]);
	const renamed = file('a', [], { newPath: 'z' });
	const both = plan(1, [renamed], { operations: [{ id: 'o1', step: 's1', tool: 'rename_file', path: 'a', status: '' }, { id: 'o2', step: 's1', tool: 'apply_patch', paths: ['y', 'z'], status: '' }] });
	assert.deepEqual(operationsOn(both, renamed), ['o1', 'o2']);
});

test('the revisions of a plan are there once there are several; the newest has nothing to go back to', () => {
	const revision = (n: number, note: string) => ({ revision: n, author: n === 1 ? 'model' : 'user', created: '2026-01-02T03:04:05Z', note });
	assert.deepEqual(children(planNode(plan(1, [], { revisions: [revision(1, '')] }))), []);
	const p = plan(1, [], { revision: 2, revisions: [revision(1, ''), revision(2, 'without o2')] });
	const [group] = children(planNode(p));
	assert.ok(group?.kind === 'revisions');
	assert.deepEqual(children(group).map((n) => [n.label, n.description, n.can]),
		[['Revision 2', 'you · without o2 · newest', []], ['Revision 1', 'model', ['compare', 'rollback']]]);
	const [done] = children(planNode({ ...p, state: 'completed' }));
	assert.ok(done);
	assert.deepEqual(children(done)[1]?.can, ['compare'], 'a plan that is done does not go back');
});

test('a command is named with its folder, and whatever an approval runs is listed', () => {
	const of = (id: string, status: string, cwd?: string) => ({ id, command: './build.sh', status, ...(cwd !== undefined && { cwd }) });
	const commands = [of('o1', 'pending', 'evil'), of('o2', 'pending'), of('o3', 'failed', 'a: true'), of('o4', 'skipped', ''), of('o5', 'succeeded'), of('o6', 'waiting_for_save', 'ä')];
	const operations = commands.map(({ id }) => ({ id, step: 's1', tool: 'run_command', status: '' }));
	assert.deepEqual(children(planNode(plan(1, [], { commands, operations }))).map((n) => n.label).slice(0, 2), ['in evil: ./build.sh', './build.sh']);
	assert.deepEqual(runnable(plan(1, [], { commands })).map(commandLine),
		['in evil: ./build.sh', './build.sh', 'in "a: true": ./build.sh', './build.sh', 'in ä: ./build.sh']);
});

test('a preview is known wherever it is', () => {
	assert.deepEqual(previewed('file:///w/.redline/plans/0012-r3.md'), ['12', '3']);
	assert.deepEqual(previewed('file:///home/u/.local/state/redline/previews/e15fb31aeff8de0a/plans/0001-r1.md'), ['1', '1']);
	assert.equal(previewed('file:///w/docs/plans/0001-r1.md'), undefined);
});

test('a reader of the screen reads the state that an icon shows, once and in words', () => {
	const commands = [{ id: 'o1', command: 'make', status: 'pending' }, { id: 'o2', command: 'make test', status: 'waiting_for_save' }];
	const operations = [{ id: 'o0', step: 's1', tool: 'edit_file', path: 'a.go', status: '' }, ...commands.map(({ id }) => ({ id, step: 's1', tool: 'run_command', status: '' }))];
	const p = plan(1, [file('a.go', [hunk('h1', 1, 1, 1), hunk('h2', 5, 1, 1, 'stale'), hunk('h3', 9, 2, 0, 'applied')])], { commands, operations });
	const [a, ...others] = children(planNode(p));
	assert.ok(a);
	assert.deepEqual([planNode(p), a, ...others, ...children(a)].map(spoken), [
		'plan 1. do it, 1 file, +4 −2 · 2 commands, waits for you', 'file a.go, +4 −2, waits for you',
		'command make, not run yet', 'command make test, waiting for save',
		'change 1 of 3, line 2, +1 −1, waits for you', 'change 2 of 3, line 6, +1 −1 · stale', 'change 3 of 3, line 10, +2 · applied',
	]);
	const [of] = children(planNode({ ...p, state: 'cancelled' }));
	assert.ok(of);
	assert.doesNotMatch(spoken(of), /waits/, 'nothing of a plan that was cancelled waits');
});
