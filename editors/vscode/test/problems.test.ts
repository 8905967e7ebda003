import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../src/chat/messages';
import { actions } from '../src/core/actions';
import { children, planNode, spoken } from '../src/core/nodes';
import { adds, problemAt, problemLine, problemWords } from '../src/core/problems';
import type { Problem, Problems } from '../src/protocol';
import { isBroken, isFixable } from '../src/core/trials';
import { file, hunk, plan } from './plans';

const problem = (severity: string, message = 'undefined: x'): Problem => ({
	path: 'main.go', range: { start: { line: 11, character: 1 }, end: { line: 11, character: 2 } }, severity, message, source: 'compiler', code: 'UndeclaredName',
});
const late = { language: 'go', server: 'gopls', state: 'gopls was not ready' };
const files = [file('a.go', [hunk('h1', 1, 1, 1)])];
const of = (problems: Partial<Problems> | null) => plan(1, files, { problems: problems && { added: [], fixed: 0, checked: [], ...problems } });

test('problems have the words of the server', () => {
	assert.equal(problemWords(plan(1, files)), '', 'an earlier server');
	assert.equal(problemWords(of(null)), '', 'not known');
	assert.equal(problemWords(of({ checked: [{ ...late, state: 'checked' }] })), '');
	assert.equal(problemWords(of({ added: [problem('warning')] })), '', 'only errors count');
	assert.equal(problemWords(of({ added: [problem('error'), problem('hint'), problem('error')], fixed: 1 })), 'adds 2 errors, fixes 1');
	assert.equal(problemWords(of({ added: [problem('error')], more: 3, checked: [late, late] })), 'adds more than 1 error, not checked: gopls was not ready');
	assert.equal(problemLine(problem('error')), 'main.go:12: undefined: x');
	assert.equal(problemLine(problem('warning')), 'main.go:12: warning: undefined: x');
	assert.equal(adds(plan(1, files, { state: 'completed', problems: { added: [problem('error')], fixed: 0, checked: [] } })), undefined, 'nothing is left to decide');
});

test('the tree says how many errors a plan adds', () => {
	assert.match(planNode(of({ added: [problem('error'), problem('error')], fixed: 1 })).description, / · adds 2 errors$/);
	assert.doesNotMatch(planNode(of(null)).description, /adds/);
});

test('the tree lists problems, whatever room the request leaves in its line', () => {
	const listed = (added: Problem[]) => children(planNode(of({ added }))).filter(({ kind }) => kind === 'problems');
	const [node] = listed([problem('error'), problem('hint', 'unused')]);
	assert.deepEqual([node?.label, node?.can, node?.status], ['Adds 1 error', ['fix'], 'error']);
	assert.deepEqual(node && children(node).map((n) => [n.kind, n.label, n.description, n.status]), [['problem', 'undefined: x', 'main.go:12', 'error'], ['problem', 'unused', 'main.go:12', 'hint']]);
	assert.equal(node && spoken(node), 'problems Adds 1 error');
	assert.deepEqual(listed([problem('warning')]).map(({ label, can, status }) => [label, can, status]), [['Adds 1 warning', [], 'warning']]);
	assert.deepEqual(listed([]), []);
});

test('what comes next for a plan that adds errors is to fix it', () => {
	const buttons = (added: Problem[]) => actions(of({ added })).slice(0, 2);
	assert.deepEqual(buttons([problem('error')]), [['fix', 'Fix', 'primary'], ['approve', 'Approve', 'secondary']]);
	assert.deepEqual(buttons([problem('warning')]).slice(0, 1), [['approve', 'Approve', 'primary']]);
	assert.deepEqual([of({ added: [problem('error')] }), of({ added: [problem('hint')] }), of(null)].map((p) => [isBroken(p), isFixable(p)]), [[true, true], [false, false], [false, false]]);
});

test('the page names a problem by its place, and nothing else opens', () => {
	const message = { type: 'problem', plan: 1, path: 'main.go', line: 11 };
	assert.deepEqual(read({ ...message, more: 1 }), message);
	for (const wrong of [{ ...message, plan: '1' }, { ...message, path: 1 }, { ...message, line: '11' }]) {
		assert.equal(read(wrong), undefined);
	}
	const p = of({ added: [problem('error')] });
	assert.equal(problemAt(p, 'main.go', 11)?.message, 'undefined: x');
	assert.deepEqual([problemAt(p, 'main.go', 1), problemAt(p, '/etc/passwd', 11), problemAt(undefined, 'main.go', 11), problemAt(of(null), 'main.go', 11)], [undefined, undefined, undefined, undefined]);
});
