import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import * as path from 'node:path';
import { before } from './job';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/**
 * An agent of others that works by a script. It does each step that the test lets it do: at a gate it waits for the
 * test, over the one address that it may reach.
 */
class Agent {
	private waiting: Socket[] = [];

	private constructor(private readonly server: Server, private readonly world: World) {}

	/** Installs a program and names it in the user's settings. `$gate` in the script waits for `pass`. */
	static async install(world: World, name: string, script: string): Promise<Agent> {
		const server = createServer();
		const agent = new Agent(server, world);
		server.on('connection', (socket) => {
			socket.on('error', () => undefined);
			agent.waiting.push(socket);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		assert.ok(address && typeof address === 'object');
		const gate = `gate() { exec 3<>/dev/tcp/127.0.0.1/${address.port}; read -r word <&3; exec 3<&-; }\n`;
		fs.writeFileSync(path.join(world.dir, 'bin', name), `#!/bin/bash\n${gate}${script}`, { mode: 0o755 });
		world.configure(`[outside.${name}]\ncommand = ["${name}", "-"]\nnetwork = ["127.0.0.1:${address.port}"]\n`);
		return agent;
	}

	/** Waits until the agent is at its gate. */
	atGate(): Promise<unknown> {
		return until('the agent is at its gate', () => this.waiting.length > 0);
	}

	/** Lets it go on. */
	async pass(): Promise<void> {
		await this.atGate();
		this.waiting.shift()?.end('go\n');
	}

	/** Forgets it, if it has gone. */
	left(): void {
		this.waiting.splice(0).forEach((socket) => socket.destroy());
	}

	remove(): void {
		this.left();
		this.server.close();
		this.world.configure('');
	}
}

const script = `cat >/dev/null
seq -f 'test %g passes' 40 >&2
echo 'Running the tests: 1 of 41 fails.'
gate
sed -i s/hello/welcome/ a.go
printf '\\0' >logo.png
echo 'The greeting is **mended**, and the tests pass.'
`;

/** Has an agent of others work in a copy: choosing it, allowing it, watching it, cancelling it, deciding on what it made. */
export async function outside(world: World): Promise<void> {
	const dir = world.workspace('outside', { 'a.go': before });
	if (!world.tries(dir)) {
		console.error('vscode: outside agents are left out: there are no copies here, and `redline doctor` says why');
		return;
	}
	const agent = await Agent.install(world, 'mender', script);
	try {
		await Workbench.run(world, 'outside', dir, async (w) => {
			await w.openFile('a.go');
			await w.ready();
			await w.openChat();
			const chooser = w.chat.getByRole('combobox', { name: 'Who does the work' });
			await chooser.waitFor();
			await w.looks('outside-chooser');
			await chooser.selectOption({ label: 'mender, in a copy' });
			await w.focusMessage();
			await w.type('mend the greeting');
			await w.press('Enter');
			const allow = w.notification('works on a copy').getByRole('button', { name: 'Allow', exact: true });
			await allow.waitFor();
			await w.chat.getByText('asks whether mender may work here').waitFor();
			await w.looks('outside-consent');
			await allow.press('Enter');
			await agent.atGate();
			await w.chat.getByText('1 of 41 fails').waitFor();
			const output = w.chat.locator('.output');
			await until('the end of what it prints is in sight', () => output.evaluate((e) => e.scrollHeight > e.clientHeight && e.scrollTop + e.clientHeight >= e.scrollHeight - 1));
			await w.shows(/mender works in a copy/);
			await w.looks('outside-working');
			await w.focusMessage();
			await w.press('Escape');
			await w.chat.getByText('Cancelled.').waitFor();
			await w.looks('outside-cancelled');
			agent.left();
			await w.focusMessage();
			await w.type('mend the greeting, please');
			await w.press('Enter');
			await agent.pass();
			const card = w.chat.getByRole('group', { name: 'Plan 1, waits for you' });
			await card.waitFor();
			await w.ready();
			await card.getByText('Made by mender in a copy', { exact: true }).waitFor();
			await card.getByText('Not carried: logo.png (it is no UTF-8 text). Make this change yourself.').waitFor();
			await w.chat.locator('.answer strong', { hasText: 'mended' }).waitFor();
			await until('its output has gone', async () => (await output.count()) === 1); // that of the one that was cancelled
			assert.equal(await w.chat.getByText('Not carried').count(), 1, 'what is left out is said once');
			assert.equal(await w.notification('plan 1 is ready').count(), 0, 'and in the chat, which the user sees');
			await w.looks('outside-plan');
			assert.equal(w.read('a.go'), before);
			await w.command('Redline: Approve Plan');
			await w.saved('a.go', before.replace('hello', 'welcome'));
			await w.command('Redline: Undo Plan');
			await w.saved('a.go', before);
			await w.focusMessage();
			await chooser.selectOption({ label: 'Redline’s model' });
			await w.type('rename greet to salute');
			await w.press('Enter');
			await w.shows(/2 changes wait/);
			assert.equal(await w.chat.getByRole('group', { name: 'Plan 2' }).getByText('Made by').count(), 0);
		});
	} finally {
		agent.remove();
	}
}
