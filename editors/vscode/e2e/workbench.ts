import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { patience, until } from './until';
import type { World } from './world';

/** How a window is opened: its size, how much larger everything is, and the file that lists the folders if there are several. */
export interface Opening {
	size?: { width: number; height: number };
	zoom?: number;
	file?: string;
}

/** The default themes: the class of the workbench, and the name. */
export const themes = [['vs', 'Default Light Modern'], ['vs-dark', 'Default Dark Modern'], ['hc-black', 'Default High Contrast'], ['hc-light', 'Default High Contrast Light']] as const;

/** A window of VS Code with a workspace, driven as a user does it: with the keyboard. */
export class Workbench {
	/** What the page has written to its console. */
	private readonly said: string[] = [];

	private constructor(readonly page: Page, readonly dir: string) {}

	static async open(world: World, dir: string, { size = { width: 1280, height: 800 }, zoom = 1, file }: Opening = {}): Promise<Workbench> {
		const page = await (await world.browser.newContext({ viewport: { width: size.width / zoom, height: size.height / zoom }, deviceScaleFactor: zoom })).newPage();
		page.setDefaultTimeout(patience);
		const workbench = new Workbench(page, dir);
		page.on('console', (message) => workbench.said.push(`${message.type()}: ${message.text()}`));
		page.on('pageerror', (error) => workbench.said.push(`page error: ${error.stack ?? error.message}`));
		await page.goto(world.url + (file === undefined ? `?folder=${encodeURIComponent(dir)}` : `?workspace=${encodeURIComponent(path.join(dir, file))}`));
		await page.locator('.monaco-workbench').waitFor();
		if (file !== undefined) {
			await workbench.hasFolders();
		}
		return workbench;
	}

	/**
	 * Waits until the folders of a workspace of several are shown. A workbench that starts slowly reads their list before it can
	 * read any file, takes it for empty and stays so: a user loads the window again.
	 */
	private async hasFolders(): Promise<void> {
		await until('the folders are shown', async () => {
			const folder = this.page.locator('.explorer-folders-view .monaco-list-row').first();
			const shown = await folder.waitFor({ timeout: 20_000 }).then(() => true, () => false);
			if (!shown) {
				console.error('vscode: the workbench shows no folders, and is loaded again');
				await this.page.reload();
				await this.page.locator('.monaco-workbench').waitFor();
			}
			return shown;
		});
	}

	/** Runs a test on a workspace; when it fails, what was on the screen and what was logged is kept. */
	static async run(world: World, name: string, dir: string, test: (w: Workbench) => Promise<void>, opening: Opening = {}): Promise<void> {
		const w = await Workbench.open(world, dir, opening);
		try {
			await test(w);
		} catch (error) {
			const kept = fs.mkdtempSync(path.join(process.env['REDLINE_KEPT'] ?? os.tmpdir(), `redline-vscode-${name}-failed-`));
			await w.page.screenshot({ path: path.join(kept, 'screen.png'), timeout: 20_000 }).catch(() => undefined);
			fs.writeFileSync(path.join(kept, 'console.txt'), w.said.join('\n'));
			world.keepLogs(kept);
			console.error(`vscode: ${name} failed; the screen, the console and the logs are kept in ${kept}`);
			throw error;
		} finally {
			await w.page.context().close();
		}
	}

	press(...keys: string[]): Promise<void> {
		return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
	}

	type(text: string): Promise<void> {
		return this.page.keyboard.type(text);
	}

	/** Runs a command by its title, from the palette. */
	async command(title: string): Promise<void> {
		await this.pick('F1', '>' + title, title);
	}

	/** Opens a file of the workspace. */
	async openFile(name: string): Promise<void> {
		await this.pick('Control+p', name, path.basename(name));
		const label = this.page.locator('.label-name').getByText(path.basename(name), { exact: true }); // a comparison of the file has more
		await this.page.locator('.tab.active').filter({ has: label }).waitFor();
		await this.page.locator('.editor-instance .monaco-editor .view-line').first().waitFor();
		await this.focused();
	}

	/** Waits until the editor in front has the keyboard: a key that comes earlier is lost. */
	async focused(): Promise<void> {
		await this.page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
	}

	/**
	 * Decides with a key on the change at the cursor of a comparison, once the key is the extension's: the editor has the
	 * keyboard, and the buttons in its title show that the context key is set.
	 */
	async decideInComparison(key: 'Control+Enter' | 'Control+Shift+Backspace'): Promise<void> {
		await this.focused();
		await this.title('Approve All Changes in File').waitFor();
		await this.press(key);
	}

	/**
	 * Opens a list with a key, types, and takes the line with the label. It begins again when something takes the focus away.
	 * What was typed is highlighted in the lines once they are found by it: before that, the last editor is the first line.
	 */
	private async pick(key: string, text: string, label: string): Promise<void> {
		const widget = this.page.locator('.quick-input-widget');
		const input = widget.locator('input[type="text"]').first();
		await until(`${label} can be picked`, async (attempt) => {
			if (!(await input.isVisible())) {
				await this.page.keyboard.press(key);
				await input.waitFor({ timeout: 3000 * attempt });
			}
			await input.fill(text, { timeout: 3000 });
			const first = widget.locator('.monaco-list-row.focused').filter({ has: this.page.locator('.highlight') });
			if (!(await first.filter({ hasText: label }).waitFor({ timeout: 5000 * attempt }).then(() => true, () => false))) {
				await this.press('Escape'); // an open list does not look for files anew
				return false;
			}
			await input.press('Enter', { timeout: 3000 });
			return true;
		});
		await until(`${label} was picked`, async () => !(await input.isVisible()) || (await input.inputValue()) !== text);
	}

	/** Asks with the input box. */
	async ask(request: string): Promise<void> {
		await this.command('Redline: Ask for a Change…');
		const box = this.page.locator('.quick-input-widget:has-text("What should change?") input[type="text"]').first();
		await box.waitFor();
		await box.fill(request);
		await box.press('Enter');
	}

	/** Puts the cursor at the start of a line, from 1. */
	async goTo(line: number): Promise<void> {
		await this.press('Control+g');
		const input = this.page.locator('.quick-input-widget input[type="text"]').first();
		await input.waitFor();
		await input.fill(`:${line}`);
		await input.press('Enter');
		await this.at(line);
		await this.focused();
	}

	/** Waits until the cursor is at a line. */
	async at(line: number): Promise<void> {
		await this.page.locator('#status\\.editor\\.selection', { hasText: new RegExp(`^Ln ${line},`) }).waitFor();
	}

	/** Waits for what the item in the status bar tells. */
	async shows(status: RegExp): Promise<void> {
		await this.page.locator('.statusbar-item [role="button"]').and(this.page.getByLabel(status)).first().waitFor();
	}

	/** Waits for the server to be there, and for nothing to go on. */
	ready(): Promise<void> {
		return this.shows(/^Redline: (no changes wait|\d+ changes? waits? for you)/);
	}

	/** Waits until a file is in front. */
	async active(name: string): Promise<void> {
		await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
	}

	/** Puts the keyboard into the field of the chat view, which is open. */
	async focusMessage(): Promise<void> {
		await this.chat.locator('#message').focus();
	}

	/** Saves everything and waits until a file has the text. */
	async saved(name: string, text: string): Promise<void> {
		await until(`${name} holds ${JSON.stringify(text)}`, async () => {
			if (this.read(name) === text) {
				return true;
			}
			await this.command('File: Save All');
			const end = Date.now() + 2000;
			while (Date.now() < end && this.read(name) !== text) {
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
			return this.read(name) === text;
		});
	}

	read(name: string): string {
		return fs.readFileSync(path.join(this.dir, name), 'utf8');
	}

	/** The marks beside the lines that a plan would change. */
	marks(): Locator {
		return this.page.locator('.cgmr[class*="ced-"], .glyph-margin-widgets .codicon, .margin-view-overlays [class*="TextEditorDecorationType"]');
	}

	/** A row of the view Plans, by a part of its name. */
	row(label: string | RegExp): Locator {
		return this.page.locator('[id="workbench.view.extension.redline"] .monaco-list-row, .pane-body .tree-explorer-viewlet-tree-view .monaco-list-row').filter({ hasText: label }).first();
	}

	/** Goes to a row of the view Plans with the arrow keys. */
	async select(label: string | RegExp): Promise<void> {
		const focused = this.page.locator('.pane-body .monaco-list:focus .monaco-list-row.focused');
		await this.command('Redline: Show Plans');
		await until('the keyboard is in the view Plans', () => this.page.locator('.pane-body .monaco-list:focus').isVisible());
		await this.row(label).waitFor();
		await this.press('Home');
		await until(`${String(label)} is selected`, async () => {
			if (await focused.filter({ hasText: label }).isVisible()) {
				return true;
			}
			await this.press('ArrowDown');
			return false;
		});
	}

	/** The lines of the proposed side of the comparison in front, without the removed lines that one without sides has between them. */
	async proposed(): Promise<string> {
		const lines = this.page.locator('.editor-instance .modified-in-monaco-diff-editor .lines-content > .view-lines').first();
		const text = await lines.evaluate((e) => [...e.querySelectorAll<HTMLElement>('.view-line')]
			.sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top)).map((line) => line.textContent).join('\n'));
		return text.replaceAll('\u00a0', ' ');
	}

	/** Waits until the comparison in front proposes a line. */
	async compares(line: string): Promise<void> {
		await until(`the comparison proposes ${line}`, async () => (await this.proposed()).split('\n').includes(line));
	}

	/** Replaces the one occurrence of a text in the editor in front. */
	async replace(from: string, to: string): Promise<void> {
		await this.press('Control+f');
		const input = this.page.locator('.find-widget.visible .find-part textarea').first();
		await input.fill(from);
		await until(`${from} is selected`, async () => {
			await input.press('Enter', { timeout: 3000 });
			return this.page.locator('.find-widget.visible .matchesCount', { hasText: /^1 of 1/ }).isVisible();
		});
		await this.press('Escape');
		await this.page.keyboard.insertText(to);
	}

	/** A button in the title of the editor in front. */
	title(label: string): Locator {
		return this.page.locator('.editor-group-container.active .editor-actions .action-label').and(this.page.getByLabel(label));
	}

	/** Loads the window again, as a user does it, and waits until the new one is there. */
	async reload(): Promise<void> {
		const loaded = this.page.waitForEvent('load');
		await this.command('Developer: Reload Window');
		await loaded;
		await this.page.locator('.monaco-workbench').waitFor();
	}

	/** Takes a code action at the cursor, by a part of its title. */
	async action(title: string): Promise<void> {
		const widget = this.page.locator('.action-widget');
		await until(`there is the action ${title}`, async (attempt) => {
			if (!(await widget.isVisible())) {
				await this.press('Control+.');
			}
			await widget.getByText(title).first().waitFor({ timeout: 5000 * attempt });
			return true;
		});
		const focused = widget.locator('.monaco-list-row.focused').filter({ hasText: title });
		await until(`${title} is chosen`, async () => {
			if (await focused.isVisible()) {
				return true;
			}
			await this.press('ArrowDown');
			return false;
		});
		await this.press('Enter');
	}

	notification(text: string | RegExp): Locator {
		return this.page.locator('.notification-list-item, .notification-toast').filter({ hasText: text }).first();
	}

	/** The inside of the chat view. */
	get chat(): FrameLocator {
		return this.page.locator('iframe.webview.ready').first().contentFrame().locator('#active-frame').contentFrame();
	}

	async openChat(): Promise<void> {
		await this.command('Redline: Open Chat');
		await until('the keyboard is in the chat', () => this.chat.locator('#message').evaluate((e) => e === e.ownerDocument.activeElement));
	}

	/** Waits until nothing on the screen changes any more. */
	async still(): Promise<void> {
		let before = '';
		await until('the screen is still', async () => {
			const now = (await this.page.screenshot({ animations: 'disabled', caret: 'hide' })).toString('base64');
			const same = now === before;
			before = now;
			return same;
		});
	}

	/** Changes the colour theme, and waits until it is there. */
	async theme(kind: string, title: string): Promise<void> {
		const settings = path.join(this.dir, '.vscode', 'settings.json');
		fs.mkdirSync(path.dirname(settings), { recursive: true });
		fs.writeFileSync(settings, JSON.stringify({ 'workbench.colorTheme': title }));
		await this.page.locator(`.monaco-workbench.${kind}`).waitFor();
	}

	/** Takes pictures of what is there in the default themes, wide and narrow, for looking at them. */
	async looks(name: string): Promise<void> {
		const dir = process.env['REDLINE_SCREENSHOTS'];
		const before = this.page.viewportSize();
		if (!dir || !before) {
			return;
		}
		for (const [theme, title] of themes) {
			await this.theme(theme, title);
			for (const width of [before.width, 700]) {
				await this.page.setViewportSize({ ...before, width });
				await this.still();
				await this.page.screenshot({ path: path.join(dir, `${name}-${theme}-${width}.png`) });
			}
			await this.page.setViewportSize(before);
		}
	}

	screenshot(name: string): Promise<unknown> {
		const dir = process.env['REDLINE_SCREENSHOTS'];
		return dir ? this.page.screenshot({ path: path.join(dir, `${name}.png`) }) : Promise.resolve();
	}
}
