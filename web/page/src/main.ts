// The page of `redline review`: it shows a plan, takes decisions and comments, and sends them.
import { Refusal, Server, takeToken } from './api';
import { Actions } from './actions';
import { alone, askCode } from './dialogs';
import { element } from './element';
import { Page } from './page';
import type { Answer } from './types';

/** The plan of a file that `redline plans show --html` has written. */
function embedded(): Answer | undefined {
	const data = document.getElementById('redline-data')?.textContent;
	return data === undefined ? undefined : JSON.parse(data) as Answer;
}

function show(title: string, text: string): void {
	document.body.replaceChildren(alone(title, element('p', {}, text)));
}

/** Opens the plan, or says why it cannot. */
async function start(server: Server): Promise<void> {
	let answer: Answer;
	try {
		answer = await server.plan();
	} catch (error) {
		const { status, message } = error instanceof Refusal ? error : new Refusal(0, 'The page could not read the plan.');
		if (status === 401) {
			ask(server, 'This tab may not see the plan yet.');
		} else if (status === 410) {
			show('The review has ended', message);
		} else {
			const again = element('button', { type: 'button', class: 'main' }, 'Try again');
			again.addEventListener('click', () => void start(server));
			document.body.replaceChildren(alone('Nothing to show', element('p', {}, status === 0 ? 'Redline does not answer. Is redline review still running?' : message), again));
		}
		return;
	}
	const page = new Page(answer, false, (file, from, to) => server.context(file, from, to));
	page.mount();
	new Actions(page, server, (message) => ask(server, message)).start();
}

function ask(server: Server, message: string): void {
	document.body.replaceChildren(askCode(message, async (code) => {
		await server.enter(code);
		await start(server);
	}));
}

const data = embedded();
if (data) {
	const page = new Page(data, true, () => Promise.reject(new Error('This file has no other lines.')));
	page.mount();
	new Actions(page, undefined, () => undefined).start();
} else {
	const server = new Server(takeToken());
	if (server.known) {
		void start(server);
	} else {
		ask(server, 'Open the address that redline review has printed, or enter its code.');
	}
}
