import { own, workerLabel, type Workers } from '../src/core/worker';
import { element } from './element';

/** The value of the line that leads to the setup of a model; no worker has this name. */
const other = '';

/** Shows who does the work: the model in use, or an agent in a copy of the workspace; lets the user choose another one. */
export class Chooser {
	private agents = 0;
	private chosen = own;

	constructor(private readonly select: HTMLSelectElement, setup: () => void) {
		select.addEventListener('change', () => {
			if (select.value === other) {
				select.value = this.chosen;
				setup();
			}
			this.chosen = select.value;
		});
	}

	offer({ agents, chosen, model }: Workers): void {
		this.agents = agents.length;
		this.chosen = chosen;
		this.select.hidden = model === '';
		this.select.replaceChildren(...[own, ...agents].map((name) => element('option', { value: name }, workerLabel(name, model))), element('hr'), element('option', { value: other }, 'Choose a Model…'));
		this.select.value = chosen;
	}

	/** Who works; undefined where there is only Redline's own model. */
	get worker(): string | undefined {
		return this.agents > 0 && !this.select.hidden ? this.select.value : undefined;
	}
}
