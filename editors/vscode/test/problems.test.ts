import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planNode } from '../src/core/nodes';
import { adds, problemLine, problemWords } from '../src/core/problems';
import type { Problem, Problems } from '../src/protocol';
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
