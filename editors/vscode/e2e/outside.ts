import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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

/** The tests of the repository fail without the function greet. */
const check = "grep -q 'func greet() {}' a.go\n";

/** The agent breaks the tests, sees it, and fixes them. It adds a line that nobody wants, and files that no plan can have. */
const script = `cat >/dev/null
seq -f 'test %g passes' 40 >&2
cp a.go /tmp/kept
sed -i 's/func greet/func gret/' a.go
if sh check.sh; then echo 'The tests see no mistake.'; exit 1; fi
echo 'Running the tests: 1 of 41 fails.'
gate
cp /tmp/kept a.go
sed -i s/hello/welcome/ a.go
echo '// checked' >>a.go
printf '\\0' >logo.png
mkdir build; echo made >build/a
sh check.sh || exit 1
echo 'The greeting is **mended**, and the tests pass.'
`;

/** Runs git in a repository. */
function git(dir: string, ...words: string[]): string {
	return execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...words], { cwd: dir, encoding: 'utf8' });
}

/**
 * Has an agent of others work on a repository: choosing it, allowing it, watching it, cancelling it. Of what it made, one change is
 * rejected and the rest approved; the tests pass then, and after undo the repository is as before.
 */
export async function outside(world: World): Promise<void> {
	const dir = world.workspace('outside', { 'a.go': before, 'check.sh': check, '.gitignore': 'build/\n' });
	git(dir, 'init', '-q');
	git(dir, 'add', '.');
	git(dir, 'commit', '-qm', 'begin');
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
			await w.chat.getByText('1 file in build/').waitFor();
			await w.openFile('a.go');
			await w.goTo(1);
			await w.press('Alt+F7');
			await w.at(3);
			await w.press('Alt+F7');
			await w.at(9);
			await w.press('Control+Shift+Backspace');
			await w.shows(/1 change waits/);
			await w.screenshot('outside-rejected');
			await w.command('Redline: Approve Plan');
			await w.saved('a.go', before.replace('hello', 'welcome'));
			execFileSync('sh', ['check.sh'], { cwd: dir });
			assert.equal(git(dir, 'status', '--porcelain'), ' M a.go\n');
			await w.command('Redline: Undo Plan');
			await w.saved('a.go', before);
			assert.equal(git(dir, 'status', '--porcelain'), '');
			await w.focusMessage();
			await chooser.selectOption({ label: 'Built-in model' });
			await w.type('rename greet to salute in a.go');
			await w.press('Enter');
			await w.shows(/2 changes wait/);
			const last = w.chat.getByRole('group', { name: 'Plan 1, waits for you' }).last();
			await last.getByText('+3').first().waitFor();
			assert.equal(await last.getByText('Made by').count(), 0);
		});
	} finally {
		agent.remove();
	}
}
