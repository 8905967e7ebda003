import { actions } from '../src/core/actions';
import { commandLine, extent, sizeOfFile, stateName } from '../src/core/plans';
import { problemLine, problemsOf, problemWords } from '../src/core/problems';
import { hasPassed, outcome, shownTrials } from '../src/core/trials';
import { changedBy, madeBy } from '../src/core/worker';
import type { Act } from '../src/chat/messages';
import type { Plan, Problem, Standing, Trial } from '../src/protocol';
import { element } from './element';

export type Decide = (act: Act, plan: Plan) => void;

/** Shows what a line of a card is about. */
export interface Show {
	output(plan: number, trial: string): void;
	problem(plan: number, path: string, line: number): void;
}

/** Makes the card of a plan in the chat: what it changes, with buttons to decide. */
export function card(plan: Plan, standing: Standing, decide: Decide, show: Show): HTMLElement {
	const title = `Plan ${plan.plan}`;
	const made = element('section', { class: `card state-${plan.state}`, role: 'group', 'aria-label': `${title}, ${stateName(plan)}`, 'data-plan': String(plan.plan), tabindex: '0' });
	made.append(
		element('header', {},
			element('strong', {}, title), ' ',
			element('span', { class: 'state' }, stateName(plan)), ' ',
			element('span', { class: 'extent' }, plan.textOnly ? 'in words' : extent(plan.files))),
	);
	for (const author of [madeBy(plan), changedBy(plan)]) {
		if (author !== undefined) {
			made.append(element('p', { class: 'by' }, author));
		}
	}
	made.append(...(plan.unfinished ?? []).map((lacks) => element('p', { class: 'lacks', title: lacks }, lacks)));
	if (plan.files.length > 0) {
		made.append(element('ul', { class: 'files', 'aria-label': 'Files' }, ...plan.files.map((file) =>
			element('li', { class: `status-${file.status}` },
				element('span', { class: 'path', title: file.path }, file.newPath ? `${file.path} → ${file.newPath}` : file.path), ' ',
				element('span', { class: 'plus' }, `+${sizeOfFile(file).added}`), ' ', element('span', { class: 'minus' }, `−${sizeOfFile(file).removed}`),
				...(file.status === 'pending' ? [] : [' ', element('span', { class: 'state' }, file.status)])))));
	}
	if (plan.commands.length > 0) {
		made.append(element('ul', { class: 'commands', 'aria-label': 'Commands' }, ...plan.commands.map((command) =>
			element('li', {}, element('code', {}, commandLine(command)), ' ', element('span', { class: 'state' }, command.status === 'pending' ? (command.rule ? 'runs with the plan, by your rule' : 'not run yet') : command.status.replaceAll('_', ' '))))));
	}
	const tried = shownTrials(plan);
	if (tried.length > 0) {
		made.append(element('ul', { class: 'trials', 'aria-label': 'Tried' }, ...tried.map((trial) => trialLine(plan, trial, show))));
	}
	made.append(...problems(plan, show));
	const offered = actions(plan, standing);
	const buttons = offered.map(([act, label, kind]) => {
		const help = tips[act];
		const button = element('button', { type: 'button', class: kind, 'data-act': act, ...(help !== undefined && { title: help }) }, label);
		button.addEventListener('click', () => decide(act, plan));
		return button;
	});
	if (buttons.length > 0) {
		made.append(element('div', { class: 'buttons' }, ...buttons));
	}
	if (plan.state === 'completed' && !plan.rating) {
		made.append(rating(plan, decide));
	}
	const first = offered.find(([act]) => act === 'approve' || act === 'commands');
	made.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && first) {
			event.preventDefault();
			decide(first[0], plan);
		}
	});
	return made;
}

/** Makes what language servers report: a line, and a list of the first problems. */
function problems(plan: Plan, show: Show): HTMLElement[] {
	const words = problemWords(plan), { added = [], more = 0 } = problemsOf(plan) ?? {}, left = Math.max(added.length - mostProblems, 0) + more;
	return [
		...(words === '' ? [] : [element('p', { class: 'problems' }, words)]),
		...(added.length === 0 ? [] : [element('ul', { class: 'problems', 'aria-label': 'Problems' },
			...added.slice(0, mostProblems).map((problem) => problemItem(plan, problem, show)),
			...(left === 0 ? [] : [element('li', {}, `${left} more`)]))]),
	];
}

const mostProblems = 5;

/** Makes a line for a problem, which opens its place. */
function problemItem(plan: Plan, problem: Problem, show: Show): HTMLElement {
	const line = element('button', { type: 'button', class: 'link', title: `Show in ${problem.path}` }, problemLine(problem));
	line.addEventListener('click', () => show.problem(plan.plan, problem.path, problem.range.start.line));
	return element('li', { class: `severity-${problem.severity}` }, line);
}

/** Makes two small buttons to rate a finished plan; they disappear once it is rated. */
function rating(plan: Plan, decide: Decide): HTMLElement {
	const choice = (act: 'good' | 'bad', label: string) => {
		const button = element('button', { type: 'button', class: 'link', 'data-act': act, title: 'Kept with the plan and sent to nobody; redline stats shows it' }, label);
		button.addEventListener('click', () => decide(act, plan));
		return button;
	};
	return element('div', { class: 'rating', role: 'group', 'aria-label': 'Your rating' }, 'How was it? ', choice('good', 'Good'), ' · ', choice('bad', 'Bad'));
}

/** Makes a line for a trial and its result, with a button for its output. */
function trialLine(plan: Plan, trial: Trial, show: Show): HTMLElement {
	const kind = !trial.current ? 'earlier' : hasPassed(trial) ? 'passed' : 'failed';
	const output = element('button', { type: 'button', class: 'link', 'data-act': `output-${trial.id}`, 'aria-label': `Output of ${commandLine(trial)}` }, 'Output');
	output.addEventListener('click', () => show.output(plan.plan, trial.id));
	return element('li', { class: kind },
		element('span', { class: 'mark', 'aria-hidden': 'true' }, hasPassed(trial) ? '✓' : '✗'), ' ',
		element('code', {}, commandLine(trial)), ' ', element('span', { class: 'outcome' }, outcome(trial)), ' ', output);
}

const tips: Partial<Record<Act, string>> = {
	fix: 'Rework the plan to fix what failed',
	try: 'Run commands on your files as the plan would leave them. Changes no file and approves nothing.',
	rework: 'Have changes that no longer fit made again for the text as it is now',
	again: 'Put the request into the field, to send it again',
	allow: 'A trial runs code of this workspace in isolation: it cannot change your files or reach the network.',
};
