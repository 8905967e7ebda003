import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Model, type Piece } from './model';
import { Workbench } from './workbench';
import type { World } from './world';

const named = '[x](command:workbench.action.toggleSidebarVisibility).md';

/** Checks that texts of a workspace and of a model load no picture and make no link that runs a command, wherever they are shown. */
export async function hostile(world: World): Promise<void> {
	const asked: string[] = [];
	const elsewhere = createServer((request, response) => {
		asked.push(request.url ?? '');
		response.end();
	});
	await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
	const at = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
	const lure = `![x](${at}/pic.png) [x](command:workbench.action.toggleSidebarVisibility) <img src="${at}/i.png"> $(trash)`;
	const model = await Model.start(({ role, content }): Piece[] => {
		if (role === 'tool') {
			return [{ text: `That is all. ${lure}` }];
		}
		return content.includes('tell me') ? [{ text: lure }]
			: [{ tool: 'edit_file', arguments: { path: 'a.md', old_string: 'old', new_string: `new\n\`\`\`\n${lure}\n\`\`\`\`` } },
				{ tool: 'edit_file', arguments: { path: named, old_string: 'old', new_string: lure } }];
	});
	try {
		const dir = world.workspace('hostile', { 'a.md': `# one\n\`\`\`\nold\n\`\`\`\n${lure}\n`, [named]: `old\n${lure}\n` }, { model: model.url });
		await Workbench.run(world, 'hostile', dir, async (w) => {
			const nothingIn = async (place: string) => {
				const all = w.page.locator(place);
				assert.equal(await all.locator('img').count(), 0, `there is a picture in ${place}`);
				for (const link of await all.locator('a').all()) {
					const to = `${await link.getAttribute('href')} ${await link.getAttribute('data-href')}`;
					assert.ok(!to.includes('command:'), `there is a link ${to} in ${place}`);
				}
			};
			await w.openFile('a.md');
			await w.ready();
			await w.ask(`/ask tell me ${lure}`);
			await w.chat.locator('.answer').first().waitFor();
			await w.command('View: Toggle Primary Side Bar Visibility'); // from now on answers are shown in notifications
			await w.ask(`/ask tell me ${lure}`);
			await w.notification('x').waitFor();
			await w.screenshot('hostile-notification');
			await nothingIn('.notifications-toasts');
			await w.command('Notifications: Clear All Notifications');

			await w.ask(`change it ${lure}`);
			await w.shows(/2 changes wait/);
			await w.page.locator('.tab.active', { hasText: 'Redline: plan 1' }).waitFor(); // or it would come to the front later
			for (const [name, line] of [['a.md', 3], [named, 1]] as const) {
				await w.openFile(name);
				await w.goTo(line);
				await w.press('Control+k', 'Control+i');
				await w.page.locator('.monaco-hover:visible', { hasText: 'plan 1' }).first().waitFor();
				await w.screenshot(`hostile-hover-${line}`);
				await nothingIn('.monaco-hover:visible');
				await w.press('Escape');
			}

			// The tooltip of a row in the tree.
			for (const row of [/1\. change it/, /command:/]) {
				await w.select(row);
				await w.press('Control+k', 'Control+i');
				await w.page.locator('.monaco-hover:visible').first().waitFor();
				await w.screenshot('hostile-tree');
				await nothingIn('.monaco-hover:visible');
				await w.press('Escape');
			}

			await w.openChat();
			await w.chat.locator('.answer', { hasText: 'That is all' }).waitFor();
			await w.screenshot('hostile-chat');
			assert.equal(await w.chat.locator('img').count(), 0);
			assert.equal(await w.chat.locator('a[href^="command:"]').count(), 0);
			await w.page.locator('.statusbar').waitFor();
			assert.deepEqual(asked, [], 'nothing is loaded from elsewhere');
		});
	} finally {
		model.stop();
		elsewhere.close();
	}
}
