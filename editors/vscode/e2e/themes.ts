import assert from 'node:assert/strict';
import { Model, type Piece } from './model';
import { read } from './png';
import { until } from './until';
import { themes as all, Workbench } from './workbench';
import type { World } from './world';

const before = `package shop

// Total adds the prices of the items.
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Price
	}
	return sum
}

// debug prints a cart.
func debug(items []Item) {
	println(len(items))
}

// Average is what an item costs.
func Average(items []Item) int {
	if len(items) == 0 {
		return 0
	}
	return Total(items) / len(items)
}
`;

const edits: [string, string][] = [
	['func Total(items []Item) int {', 'func Total(cart []Item, discount int) int {'],
	['// debug prints a cart.\nfunc debug(items []Item) {\n\tprintln(len(items))\n}\n\n', ''],
	['func Average(items []Item) int {\n', 'func Average(items []Item) int {\n\tdefer done()\n'],
];

function reply({ role }: { role: string }): Piece[] {
	return role === 'tool' ? [{ text: 'Done.' }] : edits.map(([from, to]): Piece => ({ tool: 'edit_file', arguments: { path: 'cart.go', old_string: from, new_string: to } }));
}

/**
 * In each default theme, what is proposed does not look like the code: removed and added text have the colour that the
 * theme's own diff editor gives them, its border where the theme has no background. Counts the pixels on the screen.
 */
export async function themes(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('themes', { 'cart.go': before }, { model: model.url });
		await Workbench.run(world, 'themes', dir, async (w) => {
			await w.openFile('cart.go');
			await w.ready();
			await w.ask('add a discount');
			await w.shows(/3 changes wait/);
			await w.command('View: Close All Editors');
			await w.openFile('cart.go');
			await w.marks().first().waitFor();
			await until('the lenses are there', () => w.page.locator('.codelens-decoration a', { hasText: 'Compare' }).first().isVisible());
			for (const [kind, title] of all) {
				await w.theme(kind, title);
				await w.still();
				await w.screenshot(`themes-${kind}`);
				for (const [what, line, colours] of [['a new word', 'func Total', 'inserted'], ['an old word', 'func Total', 'removed'], ['an old line', 'func debug', 'removed'], ['a new line', 'func Average', 'inserted']] as const) {
					const pixels = await coloured(w, line, colours);
					assert.ok(pixels >= 20, `${title}: ${what} has ${pixels} pixels of its colour`);
				}
			}
		});
	} finally {
		model.stop();
	}
}

/** Returns how many pixels of a line have the colour that the theme gives such text in a diff editor. */
async function coloured(w: Workbench, text: string, kind: 'inserted' | 'removed'): Promise<number> {
	const line = w.page.locator('.editor-instance .view-line', { hasText: text }).first();
	const box = await line.boundingBox();
	assert.ok(box, `the line ${text} is on the screen`);
	const colours = await line.evaluate((e, name) => {
		const value = (of: string) => getComputedStyle(e).getPropertyValue(`--vscode-${of}`);
		return { border: value(`diffEditor-${name}TextBorder`), back: value(`diffEditor-${name}TextBackground`), under: value('editor-background') };
	}, kind);
	const wanted = colours.border ? rgb(colours.border) : over(colours.back, colours.under);
	const { pixels, channels } = read(await w.page.screenshot({ animations: 'disabled', caret: 'hide', clip: { ...box, width: Math.min(box.width, 900) } }));
	let found = 0;
	for (let at = 0; at < pixels.length; at += channels) {
		found += wanted.every((value, i) => Math.abs(value - (pixels[at + i] ?? 0)) <= 3) ? 1 : 0;
	}
	return found;
}

/** Returns the parts of a colour: #rrggbb, #rrggbbaa or rgba(). */
function rgb(colour: string): [number, number, number] {
	const [r = 0, g = 0, b = 0] = parts(colour);
	return [r, g, b];
}

function parts(colour: string): number[] {
	const hex = /^#([0-9a-f]{6,8})$/i.exec(colour.trim())?.[1];
	return hex ? [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)).concat(hex.length === 8 ? parseInt(hex.slice(6), 16) / 255 : 1) : (colour.match(/[\d.]+/g) ?? []).map(Number);
}

/** Returns a colour that lets another one through, above that one. */
function over(colour: string, under: string): [number, number, number] {
	const [r = 0, g = 0, b = 0, alpha = 1] = parts(colour), [x, y, z] = rgb(under);
	return [r * alpha + x * (1 - alpha), g * alpha + y * (1 - alpha), b * alpha + z * (1 - alpha)];
}
