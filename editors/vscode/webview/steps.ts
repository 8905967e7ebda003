import { type Step, type TurnEntry } from '../src/core/transcript';
import { element } from './element';
import { rendered } from './markdown';

/**
 * Makes what came before the answer: the model's words, between them what was done, folded once the turn is over, and what
 * the model thought, folded always.
 */
export function steps(entry: TurnEntry): HTMLElement[] {
	const made: HTMLElement[] = [];
	let done: [Extract<Step, { did: string }>, number][] = [];
	const fold = () => {
		const [first] = done;
		if (first) {
			const list = element('ul', { class: 'steps' }, ...done.map(([{ did, took }]) => element('li', {}, took === undefined ? did : `${did} · ${took} s`)));
			const folds = entry.state !== 'running' && done.length > 1;
			made.push(folds ? element('details', { class: 'folded', 'data-key': `steps-${first[1]}` }, element('summary', { 'data-act': `steps-${first[1]}` }, `${done.length} steps`), list) : list);
			done = [];
		}
	};
	for (const [i, step] of entry.steps.entries()) {
		if ('did' in step && entry.state === 'running' && i === entry.steps.length - 1 && step.did === entry.doing) {
			continue; // the line below says so, with its seconds
		}
		if ('did' in step) {
			done.push([step, i]);
			continue;
		}
		fold();
		made.push('thought' in step ? thought(`thought-${i}`, step.took > 0 ? `Thought for ${step.took} s` : 'Thought', step.thought) : element('div', { class: 'answer said' }, rendered(step.said)));
	}
	fold();
	if (entry.thinking.trim() !== '') {
		made.push(thought(`thought-${entry.steps.length}`, lastLine(entry.thinking), entry.thinking.trim()));
	}
	return made;
}

/** Makes a folded thought. Its text is the model's own: it is shown as it is. */
const thought = (key: string, title: string, text: string): HTMLElement =>
	element('details', { class: 'folded thought', 'data-key': key }, element('summary', { 'data-act': key }, title), element('div', { class: 'thoughts', tabindex: '0', 'aria-label': 'What the model thinks' }, text));

/** Returns the last line of a text, for a title that shows how it grows. */
const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim().slice(-200) ?? '';
