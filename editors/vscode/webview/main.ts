import type { ToExtension, ToView } from '../src/chat/messages';
import { stale } from '../src/core/plans';
import { Chips } from './chips';
import { Chooser } from './chooser';
import { Composer } from './composer';
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
const speaker = new Speaker(document.body);
const chooser = new Chooser(find('with', HTMLSelectElement), () => editor.postMessage({ type: 'way', way: 'setup' }));
let connected = false, starting = true, trusted = true;

const log = new Log(
	find('log', HTMLElement),
	(act, plan) => editor.postMessage({ type: 'act', act, plan: plan.plan, revision: plan.revision, hash: plan.hash, leaveOut: stale(plan) > 0 }),
	{
		output: (plan, trial) => editor.postMessage({ type: 'output', plan, trial }),
		problem: (plan, path, line) => editor.postMessage({ type: 'problem', plan, path, line }),
	},
	(trace) => editor.postMessage({ type: 'trace', trace }),
	(text) => editor.postMessage({ type: 'send', text }),
	(way, plan) => editor.postMessage({ type: 'way', way, ...(plan !== undefined && { plan }) }),
	(text) => editor.postMessage({ type: 'copy', text }),
);

const composer = new Composer(find('composer', HTMLFormElement), find('message', HTMLTextAreaElement), find('completions', HTMLUListElement), {
	send,
	toDecision: () => log.toWaiting(),
	escape: stop,
	requests: () => log.requests(),
	changed: (text) => {
		editor.setState({ text });
		chips.draw();
	},
	complete: (text) => editor.postMessage({ type: 'complete', text }),
});

const chips = new Chips(find('chips', HTMLUListElement), composer);

/** Sends a message, with who works where there is a choice, and the place that is shown above the field. */
function send(text: string): void {
	const worker = chooser.worker;
	editor.postMessage({ type: 'send', text, ...(worker !== undefined && { with: worker }), ...(chips.goesWith(text) && { place: true }) });
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
			chooser.offer(message.workers);
			break;
		case 'entry':
			log.put(message.entry);
			speaker.entry(message.entry);
			break;
		case 'append':
			log.append(message.id, message.to, message.text);
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
			chooser.offer(message.workers);
			break;
		case 'server':
			({ connected, starting, trusted } = message);
			break;
		case 'attach':
			chips.attach(message.attached);
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
window.addEventListener('focus', () => editor.postMessage({ type: 'look' }));

const kept = editor.getState() as { text?: string } | undefined;
if (kept?.text) {
	composer.text = kept.text;
}
editor.postMessage({ type: 'ready' });
