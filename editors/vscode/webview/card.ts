import { approvable, canUndo, commandLine, count, extent, isDecidable, pendingCommands, stale, stateName, waiting } from '../src/core/plans';
import type { Act } from '../src/chat/messages';
import type { Plan } from '../src/protocol';
import { element } from './element';

export type Decide = (act: Act, plan: Plan) => void;

/** A plan in the chat: what it changes, and what can be decided about it. */
export function card(plan: Plan, decide: Decide): HTMLElement {
	const title = `Plan ${plan.plan}`;
	const made = element('section', { class: `card state-${plan.state}`, role: 'group', 'aria-label': `${title}, ${stateName(plan)}`, 'data-plan': String(plan.plan), tabindex: '0' });
	made.append(
		element('header', {},
			element('strong', {}, title), ' ',
			element('span', { class: 'state' }, stateName(plan)), ' ',
			element('span', { class: 'extent' }, plan.textOnly ? 'in words' : extent(plan.files))),
	);
	if (plan.files.length > 0) {
		made.append(element('ul', { class: 'files' }, ...plan.files.map((file) =>
			element('li', { class: `status-${file.status}` },
				element('span', { class: 'path', title: file.path }, file.newPath ? `${file.path} → ${file.newPath}` : file.path), ' ',
				element('span', { class: 'plus' }, `+${file.added}`), ' ', element('span', { class: 'minus' }, `−${file.removed}`),
				...(file.status === 'pending' ? [] : [' ', element('span', { class: 'state' }, file.status)])))));
	}
	if (plan.commands.length > 0) {
		made.append(element('ul', { class: 'commands' }, ...plan.commands.map((command) =>
			element('li', {}, element('code', {}, commandLine(command)), ' ', element('span', { class: 'state' }, command.status === 'pending' ? (command.rule ? 'your rules run it with the plan' : 'not run yet') : command.status.replaceAll('_', ' '))))));
	}
	const buttons = actions(plan).map(([act, label, kind]) => {
		const button = element('button', { type: 'button', class: kind, 'data-act': act }, label);
		button.addEventListener('click', () => decide(act, plan));
		return button;
	});
	if (buttons.length > 0) {
		made.append(element('div', { class: 'buttons' }, ...buttons));
	}
	const first = actions(plan).find(([, , kind]) => kind === 'primary');
	made.addEventListener('keydown', (event) => {
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && first) {
			event.preventDefault();
			decide(first[0], plan);
		}
	});
	return made;
}

/** What the buttons of a plan do: the first is what most will want. */
export function actions(plan: Plan): [Act, string, 'primary' | 'secondary'][] {
	const list: [Act, string, 'primary' | 'secondary'][] = [];
	const left = waiting(plan), unfit = stale(plan), commands = pendingCommands(plan);
	if (approvable(plan) && (left > unfit || plan.textOnly)) {
		list.push(['approve', unfit > 0 ? `Approve the rest (${count(unfit, 'stale change')} left out)` : 'Approve', 'primary']);
	}
	if (commands > 0) {
		const edits = left === unfit ? '' : unfit > 0 ? 'Approve the rest and run' : 'Approve and run';
		list.push(['commands', `${edits || 'Run'} ${count(commands, 'command')}`, edits ? 'secondary' : 'primary']);
	}
	if (left > 0) {
		list.push(['review', 'Review', 'secondary']);
	}
	if (isDecidable(plan)) {
		list.push(['reject', 'Reject', 'secondary']);
	}
	if (canUndo(plan)) {
		list.push(['undo', 'Undo', 'secondary']);
	}
	list.push(['preview', 'Open as text', 'secondary']);
	return list;
}
