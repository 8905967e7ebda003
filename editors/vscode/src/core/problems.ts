import type { Plan, Problem, Problems } from '../protocol';
import { count, isDecidable } from './plans';

/** What language servers report about a plan, in the words that the server has too. */

/** Returns the problems of a plan that is to be decided on; undefined while they are not known. */
export const problemsOf = (plan: Plan): Problems | undefined => (isDecidable(plan) ? (plan.problems ?? undefined) : undefined);

/** Returns how many errors the plan adds: “adds 2 errors”; undefined for none. Only errors count. */
export function adds(plan: Plan): string | undefined {
	const { added = [], more = 0 } = problemsOf(plan) ?? {};
	const errors = added.filter(({ severity }) => severity === 'error').length;
	return errors === 0 ? undefined : `adds ${more > 0 && errors === added.length ? 'more than ' : ''}${count(errors, 'error')}`;
}

/** Returns a problem that a plan adds, by its file and line (from 0); undefined if the report is another one by now. */
export const problemAt = (plan: Plan | undefined, path: string, line: number): Problem | undefined =>
	plan && problemsOf(plan)?.added.find((problem) => problem.path === path && problem.range.start.line === line);

/** Returns all that is known, in one line: “adds 2 errors, fixes 1, not checked: gopls was not ready”; '' for nothing. */
export function problemWords(plan: Plan): string {
	const { fixed = 0, checked = [] } = problemsOf(plan) ?? {};
	const why = [...new Set(checked.map(({ state }) => state).filter((state) => state !== 'checked'))].join('; ');
	return [adds(plan), fixed > 0 && `fixes ${fixed}`, why !== '' && `not checked: ${why}`].filter(Boolean).join(', ');
}

/** Returns a problem with its place: “main.go:12: undefined: x”. */
export const problemLine = ({ path, range, severity, message }: Problem): string =>
	`${path}:${range.start.line + 1}: ${severity === 'error' ? '' : `${severity}: `}${message}`;
