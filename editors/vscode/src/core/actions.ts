import type { Act } from '../chat/messages';
import type { Plan, Standing } from '../protocol';
import { applied, approvable, canUndo, count, hasDecision, isDecidable, isOpen, pendingCommands, runnable, stale, waiting } from './plans';
import { isBroken, isFixable, noTrials, trying } from './trials';

export type Button = [act: Act, label: string, kind: 'primary' | 'secondary'];

/** Returns the buttons of a plan's card; the first one is what usually comes next: to fix it, if a trial of it has failed or it adds errors. */
export function actions(plan: Plan, standing: Standing = noTrials): Button[] {
	const list: Button[] = [];
	const add = (act: Act, label: string, primary = false) => list.push([act, label, primary ? 'primary' : 'secondary']);
	const left = waiting(plan), unfit = stale(plan), commands = pendingCommands(plan), broken = isBroken(plan);
	if (plan.commands.some(({ status }) => status === 'waiting_for_save')) {
		add('saveAll', 'Save All and Run', true);
	}
	if (broken) {
		add('fix', 'Fix', true);
	}
	const approve = unfit > 0 || hasDecision(plan) ? 'Approve the rest' : 'Approve';
	if (approvable(plan) && (left > unfit || plan.textOnly)) {
		add('approve', unfit > 0 ? `${approve} (${count(unfit, 'stale change')} left out)` : approve, !broken);
	}
	if (commands > 0) {
		add('commands', `${left === unfit ? 'Run' : `${approve} and run`} ${count(commands, 'command')}`, left === unfit && !broken);
	}
	if (!broken && isFixable(plan)) {
		add('fix', 'Fix', true);
	}
	if (commands === 0 && plan.state === 'failed' && runnable(plan).length > 0) {
		add('commands', 'Run again');
	}
	if (unfit > 0 && isDecidable(plan)) {
		add('rework', 'Rework…', list.length === 0); // for the text as it is now
	}
	const offer = trying(plan, standing);
	if (offer) {
		add(offer, offer === 'try' ? 'Try' : 'Allow trials in this workspace');
	}
	if (left > 0) {
		add('review', 'Review');
	}
	if (isDecidable(plan)) {
		add('reject', 'Reject');
	}
	if (canUndo(plan)) {
		const back = applied(plan);
		add('undo', back === undefined ? 'Undo' : `Undo (${back})`);
	}
	if (!isOpen(plan) && !canUndo(plan)) {
		add('again', 'Ask again');
	}
	add('preview', 'Open as text');
	return list;
}
