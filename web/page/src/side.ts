// The list of files at the left.
import { element } from './element';
import { actionOf, plusMinus } from './words';
import { pathOf, type FileView } from './file';
import type { Decisions } from './decisions';

export class Side {
	readonly root = element('nav', { class: 'side', 'aria-label': 'Files' });
	private items = new Map<FileView, { link: HTMLElement; state: HTMLElement; spoken: HTMLElement }>();
	private readonly title = element('summary');
	private readonly list = element('ul');

	constructor() {
		const details = element('details', {}, this.title, this.list);
		details.open = matchMedia('(min-width: 900px)').matches;
		this.root.append(details);
	}

	/** Lists the files. */
	fill(files: readonly FileView[]): void {
		this.items = new Map();
		this.list.replaceChildren(...files.map((view) => {
			const [letter, word] = actionOf(view.file);
			const state = element('span', { class: 'item-state', 'aria-hidden': 'true' }), spoken = element('span', { class: 'hidden' });
			const link = element('a', { class: 'item', 'data-action': 'go-to-file', 'data-file': view.file.id }, element('span', { title: word, class: `letter ${view.file.action}`, 'aria-hidden': 'true' }, letter), pathOf(view.file.path),
				element('span', { class: 'size' }, plusMinus(view.file)), state, spoken);
			link.href = `#file-${view.number}`;
			this.items.set(view, { link, state, spoken });
			return element('li', {}, link);
		}));
	}

	/** Shows the state of one file, or of all. */
	show(decisions: Decisions, only?: FileView): void {
		for (const [view, { link, state, spoken }] of this.items) {
			if (only !== undefined && view !== only) {
				continue;
			}
			const counts = decisions.counts(view.units);
			const done = view.units.length - counts.undecided - counts.stale;
			const choice = view.units.length === 0 || done < view.units.length - counts.stale ? '' : counts.rejected === 0 ? 'approve' : counts.approved === 0 ? 'reject' : 'both';
			link.dataset.choice = choice;
			link.dataset.seen = view.isSeen ? 'true' : '';
			state.textContent = view.units.length === 0 ? '' : choice === 'approve' ? '✓' : choice === 'reject' ? '✗' : `${done}/${view.units.length}`;
			state.title = view.units.length === 0 ? '' : `${counts.approved} approved, ${counts.rejected} rejected, ${counts.undecided} undecided`;
			spoken.textContent = `, ${actionOf(view.file)[1]}${view.units.length === 0 ? '' : `, ${done} of ${view.units.length} decided`}${view.isSeen ? ', seen' : ''}`;
		}
		const seen = [...this.items.keys()].filter((view) => view.isSeen).length;
		this.title.textContent = `${this.items.size} ${this.items.size === 1 ? 'file' : 'files'}${seen > 0 ? `, ${seen} seen` : ''}`;
	}

	/** Marks the file that is looked at. */
	current(view: FileView | undefined): void {
		for (const [one, { link }] of this.items) {
			if (one === view) {
				link.setAttribute('aria-current', 'true');
				if (matchMedia('(min-width: 900px)').matches) {
					link.scrollIntoView({ block: 'nearest' });
				}
			} else {
				link.removeAttribute('aria-current');
			}
		}
	}
}
