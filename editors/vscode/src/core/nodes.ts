import type { CommandRun, FileChange, Hunk, Operation, Plan, Problem, Revision, Scope, Step, Trial } from '../protocol';
import { sizeOf } from './lenses';
import { approvable, canUndo, changeName, commandLine, count, extent, fileApplied, fileWaits, isDecidable, hunkWaits, shownState, sizeOfFile, stateName, waiting } from './plans';
import { adds, problemsOf, problemWords } from './problems';
import { failing, hasPassed, isFixable, outcome, shownTrials } from './trials';

/** The tree of plans as plain values: plan → step → file → hunk, with commands and trials. */

interface Base {
	/** Stays the same for the same thing. */
	key: string;
	label: string;
	description: string;
	/** The available actions, for the `when` clauses in package.json. */
	can: string[];
	scope: Scope;
	status: string;
}

export type Node =
	| (Base & { kind: 'plan'; plan: Plan })
	| (Base & { kind: 'step'; plan: Plan; step: Step })
	| (Base & { kind: 'file'; plan: Plan; file: FileChange })
	| (Base & { kind: 'hunk'; plan: Plan; file: FileChange; hunk: Hunk })
	| (Base & { kind: 'command'; plan: Plan; command: CommandRun })
	| (Base & { kind: 'trial'; plan: Plan; trial: Trial })
	/** What language servers report, and one problem that the plan adds. */
	| (Base & { kind: 'problems'; plan: Plan })
	| (Base & { kind: 'problem'; plan: Plan; problem: Problem })
	/** An operation that was taken out of the plan. */
	| (Base & { kind: 'operation'; plan: Plan; operation: Operation })
	/** The revisions of a plan, and one of them. */
	| (Base & { kind: 'revisions'; plan: Plan })
	| (Base & { kind: 'revision'; plan: Plan; revision: Revision });

const bound = (plan: Plan): Scope => ({ plan: plan.plan, revision: plan.revision, hash: plan.hash });

export function planNode(plan: Plan): Node {
	const can: string[] = ['show'];
	if (approvable(plan)) {
		can.push('approve');
	}
	if (isDecidable(plan)) {
		can.push('reject', 'rework');
	}
	if (waiting(plan) > 0) {
		can.push('review');
	}
	if (canUndo(plan)) {
		can.push('undo');
	}
	if (isDecidable(plan) && !plan.textOnly) {
		can.push('try');
	}
	if (isFixable(plan)) {
		can.push('fix');
	}
	const parts = [
		...(plan.files.length > 0 ? [extent(plan.files)] : []),
		...(plan.commands.length > 0 ? [count(plan.commands.length, 'command')] : []),
		...[adds(plan) ?? []].flat(),
		...(waiting(plan) > 0 ? [] : [stateName(plan)]), // its icon says that it waits
	];
	if (plan.plan === 0) { // it is still being made
		return { kind: 'plan', key: 'p0', label: oneLine(plan.goal || plan.description), description: ['not ready yet', ...parts.slice(0, -1)].join(' · '), can: [], scope: bound(plan), status: plan.state, plan };
	}
	return {
		kind: 'plan', key: `p${plan.plan}`, label: `${plan.plan}. ${oneLine(plan.goal || plan.description)}`,
		description: parts.join(' · '), can, scope: bound(plan), status: shownState(plan), plan,
	};
}

/** Returns the children of a node. A plan shows its steps only if it has several. */
export function children(node: Node): Node[] {
	switch (node.kind) {
		case 'plan':
			return [
				...(node.plan.steps.length > 1 ? node.plan.steps.map((step) => stepNode(node.plan, step)) : inStep(node.plan, undefined)),
				...(node.plan.takenOut ?? []).map((operation) => operationNode(node.plan, operation)),
				...((problemsOf(node.plan)?.added ?? []).length > 0 ? [problemsNode(node.plan)] : []),
				...shownTrials(node.plan).map((trial) => trialNode(node.plan, trial)),
				...((node.plan.revisions ?? []).length > 1 ? [revisionsNode(node.plan)] : []),
			];
		case 'problems':
			return (problemsOf(node.plan)?.added ?? []).map((problem, i) => problemNode(node.plan, problem, i));
		case 'revisions':
			return [...(node.plan.revisions ?? [])].reverse().map((revision) => revisionNode(node.plan, revision));
		case 'step':
			return inStep(node.plan, node.step);
		case 'file':
			return node.file.hunks.length > 1 ? node.file.hunks.map((hunk) => hunkNode(node.plan, node.file, hunk)) : [];
		default:
			return [];
	}
}

function stepNode(plan: Plan, step: Step): Node {
	return {
		kind: 'step', key: `p${plan.plan}/s${step.id}`, label: oneLine(step.description), description: step.status.replaceAll('_', ' '),
		can: [], scope: bound(plan), status: step.status, plan, step,
	};
}

function inStep(plan: Plan, step: Step | undefined): Node[] {
	const operations = plan.operations.filter((o) => !step || o.step === step.id);
	const paths = new Set(operations.flatMap((o) => (o.path ? [o.path] : (o.paths ?? []))));
	const ids = new Set(operations.map((o) => o.id));
	const prefix = step ? `p${plan.plan}/s${step.id}` : `p${plan.plan}`;
	const files = plan.files.filter((file) => !step || paths.has(file.path) || (file.newPath !== undefined && paths.has(file.newPath)));
	const commands = plan.commands.filter((command) => !step || ids.has(command.id));
	return [...files.map((file) => fileNode(plan, file, prefix)), ...commands.map((command) => commandNode(plan, command, prefix))];
}

function fileNode(plan: Plan, file: FileChange, prefix: string): Node {
	const can = plan.plan === 0 ? [] : ['diff'];
	const decidable = isDecidable(plan);
	if (decidable && fileWaits(file)) {
		can.push('reject');
		if (file.hunks.length === 0 || file.hunks.some((h) => h.status === 'pending')) {
			can.push('approve');
		}
	}
	if (canUndo(plan) && fileApplied(file)) {
		can.push('undo');
	} else if (decidable && operationsOn(plan, file).length > 0) {
		can.push('unstage');
	}
	const name = file.newPath ? `${file.path} → ${file.newPath}` : file.path;
	const verb = file.action === 'update' ? '' : `${file.action} · `;
	const status = fileWaits(file) ? '' : ` · ${file.status}`, { added, removed } = sizeOfFile(file);
	return {
		kind: 'file', key: `${prefix}/f${file.path}`, label: name, description: `${verb}+${added} −${removed}${status}`,
		can, scope: { ...bound(plan), path: file.path }, status: file.status, plan, file,
	};
}

function hunkNode(plan: Plan, file: FileChange, hunk: Hunk): Node {
	const can = plan.plan === 0 ? [] : ['go'];
	if (isDecidable(plan) && hunkWaits(hunk)) {
		can.push('reject');
		if (hunk.status === 'pending') {
			can.push('approve');
		}
	}
	if (canUndo(plan) && hunk.status === 'applied') {
		can.push('undo');
	}
	const status = hunk.status === 'pending' ? '' : ` · ${hunk.status}`;
	return {
		kind: 'hunk', key: `p${plan.plan}/f${file.path}/h${hunk.id}`, label: `Line ${hunk.range.start.line + 1}`,
		description: `${sizeOf(hunk)}${status}`, can,
		scope: { ...bound(plan), path: file.path, hunk: hunk.id }, status: hunk.status, plan, file, hunk,
	};
}

/** What is known of a failed command without the plan's edits. */
const failures = {
	fails_as_before: 'failed, as it does without this plan',
	still_fails: 'still fails, as without this plan',
	fails_now: 'failed, because of this plan',
};

function commandNode(plan: Plan, command: CommandRun, prefix: string): Node {
	const can: string[] = [];
	if (isDecidable(plan) && command.status === 'pending') {
		can.push('run', 'reject', 'unstage');
	}
	const exit = command.exitCode !== undefined ? ` (exit ${command.exitCode})` : '';
	return {
		kind: 'command', key: `${prefix}/c${command.id}`, label: oneLine(commandLine(command)), description: command.status === 'pending' ? '' : (command.verdict ? failures[command.verdict] : command.status.replaceAll('_', ' ')) + exit, // its icon says that it waits
		can, scope: { ...bound(plan), operation: command.id }, status: command.status, plan, command,
	};
}

function trialNode(plan: Plan, trial: Trial): Node {
	return {
		kind: 'trial', key: `p${plan.plan}/t${trial.id}`, label: oneLine(commandLine(trial)), description: `tried: ${outcome(trial)}`,
		can: ['output', ...(failing(plan) && trial.current && !hasPassed(trial) ? ['fix'] : [])],
		scope: bound(plan), status: hasPassed(trial) ? 'passed' : 'failed', plan, trial,
	};
}

function problemsNode(plan: Plan): Node {
	const words = problemWords(plan) || `adds ${count(problemsOf(plan)?.added.length ?? 0, 'warning')}`, wrong = adds(plan) !== undefined;
	return {
		kind: 'problems', key: `p${plan.plan}/problems`, label: words.slice(0, 1).toUpperCase() + words.slice(1), description: '',
		can: wrong ? ['fix'] : [], scope: bound(plan), status: wrong ? 'error' : 'warning', plan,
	};
}

function problemNode(plan: Plan, problem: Problem, index: number): Node {
	return {
		kind: 'problem', key: `p${plan.plan}/problem${index}`, label: oneLine(problem.message), description: `${problem.path}:${problem.range.start.line + 1}`,
		can: [], scope: { ...bound(plan), path: problem.path }, status: problem.severity, plan, problem,
	};
}

/** Returns the ids of the operations that change a file. */
export const operationsOn = (plan: Plan, file: FileChange): string[] =>
	plan.operations.filter((o) => (o.path ? [o.path] : (o.paths ?? [])).some((path) => path === file.path || path === file.newPath)).map((o) => o.id);

function operationNode(plan: Plan, operation: Operation): Node {
	const what = operation.command ?? operation.path ?? operation.paths?.join(', ') ?? operation.tool;
	return {
		kind: 'operation', key: `p${plan.plan}/o${operation.id}`, label: oneLine(what), description: `${operation.id} · taken out`,
		can: isDecidable(plan) ? ['restage'] : [], scope: bound(plan), status: 'skipped', plan, operation,
	};
}

function revisionsNode(plan: Plan): Node {
	return {
		kind: 'revisions', key: `p${plan.plan}/revisions`, label: 'Revisions', description: String(plan.revisions?.length ?? 0),
		can: ['compare'], scope: bound(plan), status: 'revisions', plan,
	};
}

function revisionNode(plan: Plan, revision: Revision): Node {
	const newest = revision.revision === plan.revision;
	return {
		kind: 'revision', key: `p${plan.plan}/r${revision.revision}`, label: `Revision ${revision.revision}`,
		description: [revision.author === 'user' ? 'you' : revision.author, ...(revision.note ? [oneLine(revision.note)] : []), ...(newest ? ['newest'] : [])].join(' · '),
		can: newest ? [] : ['compare', ...(isDecidable(plan) ? ['rollback'] : [])], scope: bound(plan), status: 'revision', plan, revision,
	};
}

/** Returns what a reader of the screen reads of a node: its icon’s state too, in words. */
export function spoken(node: Node): string {
	const named = node.kind === 'hunk' ? placeOf(node) : node.kind === 'revisions' || node.kind === 'revision' ? node.label : `${node.kind} ${node.label}`;
	const state = stateOf(node);
	return [named, node.description, ...(state === '' || node.description.includes(state) ? [] : [state])].filter(Boolean).join(', ');
}

/** Returns which change of its plan a hunk is, and its line: the label alone has room in a narrow tree. */
export const placeOf = ({ plan, file, hunk, label }: Node & { kind: 'hunk' }): string => `${changeName(plan, file.path, hunk.id)}, ${label.toLowerCase()}`;

function stateOf(node: Node): string {
	switch (node.kind) {
		case 'plan':
			return node.plan.plan === 0 ? '' : stateName(node.plan);
		case 'file':
		case 'hunk':
			return node.status === 'pending' && isDecidable(node.plan) ? 'waits for you' : node.status;
		case 'command':
			return node.status === 'pending' ? 'not run yet' : node.status.replaceAll('_', ' ');
		case 'step':
			return node.status.replaceAll('_', ' ');
		default:
			return '';
	}
}

/** Returns the first line, cut to 100 characters. */
export function oneLine(text: string): string {
	const line = text.split('\n')[0] ?? '';
	return line.length > 100 ? line.slice(0, 99) + '…' : line;
}
