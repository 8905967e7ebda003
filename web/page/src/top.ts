// The top of the page: what the plan is for, who made it, what is known about it, and its commands in full.
import { button, count, element } from './element';
import { maker, seconds, shownTrials, size, stateOf, statusOf, toneOf } from './words';
import { isOpen, type Decisions } from './decisions';
import type { Answer, Command, Plan, Problems, Trial } from './types';

const marks = { good: '✓', bad: '✗', plain: '•' };

/** Draws the top anew. */
export function top(answer: Answer, readOnly: boolean): HTMLElement {
	const { plan } = answer;
	const made = element('div', { class: 'top' });
	made.append(element('h1', {}, plan.goal === '' ? `Plan ${plan.plan}` : plan.goal));
	const facts = element('p', { class: 'facts' });
	facts.append(...join(
		element('strong', {}, `Plan ${plan.plan}`), `revision ${plan.revision}`, element('span', {}, `made by ${maker(plan.by)}`), size(answer), stateOf(plan), element('span', {}, `in ${answer.workspace}`),
		element('code', { class: 'hash', title: `What you decide on: ${plan.hash}` }, plan.hash.replace(/^sha256:/, '').slice(0, 12)),
	));
	made.append(facts);
	if (plan.description !== undefined && plan.description !== '' && plan.description !== plan.goal) {
		made.append(element('p', { class: 'description' }, plan.description));
	}
	const warnings = warningsOf(plan);
	if (warnings.length > 0) {
		made.append(section('Left undone', element('ul', { class: 'warnings' }, ...warnings.map((text) => element('li', {}, text)))));
	}
	const shared = plan.shared?.said ?? [];
	if (shared.length > 0) {
		made.append(section('From elsewhere', element('ul', { class: 'warnings' }, ...shared.map((text) => element('li', {}, text)))));
	}
	const trials = shownTrials(plan);
	if (trials.length > 0) {
		made.append(section('Trials', element('ul', { class: 'results' }, ...trials.map(trial))));
	} else if (plan.untried !== undefined && plan.untried !== '') {
		made.append(section('Trials', element('p', {}, plan.untried)));
	}
	if (plan.problems) {
		made.append(section('Problems', problems(plan.problems)));
	}
	if ((plan.commands ?? []).length > 0) {
		made.append(section('Commands', element('ul', { class: 'commands' }, ...(plan.commands ?? []).map((one) => command(one, readOnly)))));
	}
	const steps = plan.steps ?? [];
	if (steps.length > 0) {
		made.append(element('details', { class: 'steps' }, element('summary', {}, `${count(steps.length, 'step')}: what and why`), element('ol', {}, ...steps.map((step) => {
			const item = element('li', {}, step.description);
			for (const [word, text] of [['', step.rationale], ['Risk: ', step.risk]] as const) {
				if (text !== undefined && text !== '') {
					item.append(element('p', {}, word + text));
				}
			}
			return item;
		}))));
	}
	const revisions = plan.revisions ?? [];
	if (revisions.length > 1) {
		made.append(element('details', { class: 'steps' }, element('summary', {}, count(revisions.length, 'revision')), element('ol', {}, ...revisions.map((one) =>
			element('li', { value: `${one.revision}` }, `by ${maker(one.author)}${(one.note ?? '') === '' ? '' : `: ${one.note ?? ''}`}`)))));
	}
	return made;
}

function* join(...parts: (Node | string)[]): Generator<Node | string> {
	for (const [i, part] of parts.entries()) {
		yield* i > 0 ? [element('span', { class: 'dot', 'aria-hidden': 'true' }, ' · '), part] : [part];
	}
}

function section(title: string, ...children: Node[]): HTMLElement {
	return element('section', { class: 'known', 'aria-label': title }, element('h2', {}, title), ...children);
}

function warningsOf(plan: Plan): string[] {
	return [...plan.unfinished ?? [], ...(plan.refused ?? []).map(({ path, reason }) => path === '' ? reason : `${path}: ${reason}`)];
}

function trial(one: Trial): HTMLElement {
	const tone = one.current ? toneOf(one.verdict) : 'plain';
	const line = element('span', { class: 'result' }, element('span', { class: `mark ${tone}`, 'aria-hidden': 'true' }, marks[tone]), commandLine(one.command, one.cwd), ' ');
	line.append(element('span', { class: `verdict ${tone}` }, one.result), element('span', { class: 'quiet-text' }, ` ${seconds(one.durationMs)}${one.current ? '' : ' · on texts that have changed since'}`));
	return element('li', {}, line, one.problem !== undefined && element('p', { class: 'why' }, one.problem), output(one.output));
}

function problems({ added, fixed, checked, more }: Problems): HTMLElement {
	const made = element('div');
	const errors = added.filter(({ severity }) => severity === 'error').length;
	const tone = errors > 0 ? 'bad' : added.length > 0 ? 'plain' : 'good';
	const parts = [added.length + (more ?? 0) === 0 ? 'The plan adds none' : `The plan adds ${count(added.length + (more ?? 0), 'problem')}`, fixed > 0 && `it fixes ${fixed.toLocaleString('en')}`].filter((part) => part !== false);
	made.append(element('p', {}, element('span', { class: `mark ${tone}`, 'aria-hidden': 'true' }, marks[tone]), `${parts.join(', ')}.`));
	const checkedBy = checked.map(({ server, state }) => state === 'checked' ? server : `${server} (${state})`).join(', ');
	if (checkedBy !== '') {
		made.append(element('p', { class: 'quiet-text' }, `Checked by ${checkedBy}.`));
	}
	if (added.length > 0) {
		made.append(element('ul', { class: 'results' }, ...added.map((one) => {
			const at = button('go-to', '', { class: 'link', 'data-path': one.path, 'data-line': `${one.range.start.line + 1}` });
			at.append(element('span', {}, `${one.path}:${one.range.start.line + 1}`));
			return element('li', {}, at, ' ', element('span', { class: `verdict ${one.severity === 'error' ? 'bad' : 'plain'}` }, one.severity), ' ', element('span', {}, one.message),
				(one.source ?? '') !== '' && element('span', { class: 'quiet-text' }, ` ${one.source ?? ''}${(one.code ?? '') === '' ? '' : ` ${one.code ?? ''}`}`));
		})));
	}
	return made;
}

function commandLine(text: string, cwd?: string): HTMLElement {
	const made = element('code', { class: 'command' }, text);
	return cwd === undefined || cwd === '' ? made : element('span', {}, made, element('span', { class: 'quiet-text' }, ` in ${cwd}`));
}

function output(text?: string): HTMLElement | undefined {
	return text === undefined || text === '' ? undefined : element('details', { class: 'output' }, element('summary', {}, 'Output'), element('pre', { tabindex: '0' }, text));
}

function command(one: Command, readOnly: boolean): HTMLElement {
	const tone = one.status === 'succeeded' ? 'good' : one.status === 'failed' ? 'bad' : 'plain';
	const made = element('li', { class: 'run', 'data-key': `command ${one.id}`, 'data-choice': '' });
	const line = element('span', { class: 'result' }, commandLine(one.command, one.cwd));
	if (!isOpen(one)) {
		line.append(' ', element('span', { class: `verdict ${tone}` }, one.status === 'failed' && one.exitCode !== undefined ? `failed (exit ${one.exitCode})` : statusOf(one.status)));
	}
	made.append(line);
	if (isOpen(one) && !readOnly) {
		const choices = element('span', { class: 'tools' }, button('approve', 'Run', { class: 'choice approve', 'aria-pressed': 'false', 'aria-label': `Run ${one.command} after the edits` }),
			button('reject', 'Do not run', { class: 'choice reject', 'aria-pressed': 'false', 'aria-label': `Do not run ${one.command}` }));
		made.append(choices);
	}
	for (const text of [one.reason, one.waits, isOpen(one) ? one.rule : undefined]) {
		if (text !== undefined && text !== '') {
			made.append(element('p', { class: 'why' }, text === one.rule ? `Your rules let it run once the plan is approved: ${text}` : text));
		}
	}
	const out = output(one.output);
	if (out) {
		made.append(out);
	}
	return made;
}

/** Shows what is decided on the commands. */
export function showCommands(root: HTMLElement, decisions: Decisions, mayApprove: boolean): void {
	for (const made of root.querySelectorAll<HTMLElement>('.run')) {
		const choice = decisions.of(made.dataset.key ?? '') ?? '';
		made.dataset.choice = choice;
		for (const one of made.querySelectorAll<HTMLElement>('.choice')) {
			one.setAttribute('aria-pressed', `${one.dataset.action === choice}`);
			one.toggleAttribute('disabled', one.dataset.action === 'approve' && !mayApprove);
		}
	}
}
