import type { ToExtension, ToView } from '../src/chat/messages';
import { stale } from '../src/core/plans';
import { own, workerLabel, type Workers } from '../src/core/worker';
import { Composer } from './composer';
import { element } from './element';
import { Log } from './log';
import { Speaker } from './speaker';

declare function acquireVsCodeApi(): { postMessage(message: ToExtension): void; getState(): unknown; setState(state: unknown): void };

const editor = acquireVsCodeApi();

function find<E extends HTMLElement>(id: string, kind: new () => E): E {
	const found = document.getElementById(id);
	if (!(found instanceof kind)) {
		throw new Error(`the page has no ${id}`);
	}
	return found;
}

const cancel = find('cancel', HTMLButtonElement);
const hint = find('hint', HTMLElement);
const worker = find('with', HTMLSelectElement);
const speaker = new Speaker(document.body);
let connected = false, starting = true, trusted = true;

const log = new Log(
	find('log', HTMLElement),
	(act, plan) => editor.postMessage({ type: 'act', act, plan: plan.plan, revision: plan.revision, hash: plan.hash, leaveOut: stale(plan) > 0 }),
	(plan, trial) => editor.postMessage({ type: 'output', plan, trial }),
	(trace) => editor.postMessage({ type: 'trace', trace }),
	send,
	(type) => editor.postMessage({ type }),
);

const composer = new Composer(find('composer', HTMLFormElement), find('message', HTMLTextAreaElement), find('completions', HTMLUListElement), {
	send,
	toDecision: () => log.toWaiting(),
	escape: stop,
	requests: () => log.requests(),
	changed: (text) => editor.setState({ text }),
	complete: (text) => editor.postMessage({ type: 'complete', text }),
});

/** Sends a message, with who works where there is a choice. */
function send(text: string): void {
	editor.postMessage({ type: 'send', text, ...(!worker.hidden && { with: worker.value }) });
}

/** Offers who can do the work; nothing to choose where there is only Redline's own model. */
function offer({ agents, chosen }: Workers): void {
	worker.hidden = agents.length === 0;
	worker.replaceChildren(...[own, ...agents].map((name) => element('option', { value: name }, workerLabel(name))));
	worker.value = chosen;
}

function stop(): void {
	for (const turn of log.running()) {
		editor.postMessage({ type: 'cancel', turn: turn.turn });
	}
}

function settle(): void {
	cancel.hidden = log.running().length === 0;
	hint.textContent = !trusted ? 'This workspace is not trusted: you can only look at plans.' : connected ? '' : starting ? 'The server is starting…' : 'The server is not running.';
}

window.addEventListener('message', (event: MessageEvent<ToView>) => {
	const message = event.data;
	switch (message.type) {
		case 'init':
			({ connected, starting, trusted } = message);
			log.reset(message.entries, message.plans, message.standing);
			speaker.reset(message.entries, message.plans);
			log.model(message.builtin);
			offer(message.workers);
			break;
		case 'entry':
			log.put(message.entry);
			speaker.entry(message.entry);
			break;
		case 'append':
			log.append(message.id, message.text);
			break;
		case 'plan':
			log.plan(message.plan);
			speaker.plan(message.plan);
			break;
		case 'trials':
			log.stand(message.standing);
			break;
		case 'model':
			log.model(message.builtin);
			offer(message.workers);
			break;
		case 'server':
			({ connected, starting, trusted } = message);
			break;
		case 'prompt':
			if (message.text) {
				composer.text = message.text;
			}
			composer.focus();
			break;
		case 'completions':
			composer.suggest(message.text, message);
			break;
	}
	settle();
});

cancel.addEventListener('click', stop);
find('log', HTMLElement).addEventListener('keydown', (event) => {
	if (event.key === 'Escape') { // back to the field; there it cancels what runs
		composer.focus();
	}
});

const kept = editor.getState() as { text?: string } | undefined;
if (kept?.text) {
	composer.text = kept.text;
}
editor.postMessage({ type: 'ready' });
