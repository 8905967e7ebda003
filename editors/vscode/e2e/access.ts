import assert from 'node:assert/strict';
import { cart, item, reply } from './eightsteps';
import { Model } from './model';
import { until } from './until';
import { Workbench } from './workbench';
import type { World } from './world';

/** A node of the tree that Chromium gives to readers of the screen. */
interface Read {
	role: string;
	name: string;
	/** What is said after the name, such as a tooltip. */
	more: string;
	/** Whether it is in the region of the chat that is read whenever something comes to it. */
	isNews: boolean;
}

interface AXNode {
	nodeId: string;
	parentId?: string;
	ignored: boolean;
	role?: { value: string };
	name?: { value: string };
	description?: { value: string };
}

interface FrameTree {
	frame: { id: string };
	childFrames?: FrameTree[];
}

/** Returns all that a reader of the screen reads, in the window and in the frames within it. */
export async function readScreen(w: Workbench): Promise<Read[]> {
	const session = await w.page.context().newCDPSession(w.page);
	const inFrame = async ({ frame, childFrames = [] }: FrameTree): Promise<Read[]> => {
		const { nodes } = (await session.send('Accessibility.getFullAXTree', { frameId: frame.id })) as { nodes: AXNode[] };
		const byId = new Map(nodes.map((node) => [node.nodeId, node]));
		const isNews = (node: AXNode | undefined): boolean => node !== undefined && ((node.role?.value === 'region' && node.name?.value === 'News') || isNews(byId.get(node.parentId ?? '')));
		const here = nodes.filter(({ ignored }) => !ignored).map((node) => ({ role: node.role?.value ?? '', name: node.name?.value.trim() ?? '', more: node.description?.value ?? '', isNews: isNews(node) }));
		return here.concat(...(await Promise.all(childFrames.map(inFrame))));
	};
	try {
		return await inFrame(((await session.send('Page.getFrameTree')) as { frameTree: FrameTree }).frameTree);
	} finally {
		await session.detach();
	}
}

/** Waits until a reader of the screen reads all of these: a role, a name, and what is said after it. */
export async function reads(w: Workbench, ...wanted: [role: string, name: string | RegExp, more?: string][]): Promise<void> {
	let left = wanted;
	const fits = (is: string, want: string | RegExp) => (typeof want === 'string' ? is === want : want.test(is));
	await until('the screen is read', async () => {
		const all = await readScreen(w);
		left = wanted.filter(([role, name, more]) => !all.some((node) => node.role === role && fits(node.name, name) && (more === undefined || node.more === more)));
		return left.length === 0;
	}).catch((error: unknown) => {
		throw new Error(`nobody reads ${left.map(([role, name]) => `${role} ${String(name)}`).join(', ')}`, { cause: error });
	});
}

/** All that a plan shows and offers has a role and a name, and its state is in words: in the text, the bar, the tree, the chat and the comparison. */
export async function access(world: World): Promise<void> {
	const model = await Model.start(reply);
	try {
		const dir = world.workspace('access', { 'cart.go': cart, 'item.go': item }, { model: model.url });
		await Workbench.run(world, 'access', dir, async (w) => {
			await w.openFile('cart.go');
			await w.ready();
			await w.openChat();
			await reads(w, ['log', 'Conversation with Redline'], ['combobox', 'Message to Redline'], ['button', 'Send']);
			await w.type('add a discount to carts');
			await w.press('Enter');
			await w.shows(/7 changes wait/);
			await w.ready();
			await w.openFile('cart.go');
			await w.marks().first().waitFor();

			const change = (n: number) => `change ${n} of 7`;
			await reads(w,
				...[1, 2, 3].flatMap((n): [string, string, string][] => [
					['button', 'Approve', `Approve ${change(n)}`], ['button', 'Reject', `Reject ${change(n)}`], ['button', 'Peek', `Peek at the new text of ${change(n)}`],
					['button', '‹', `Previous change, before ${change(n)}`], ['button', '›', `Next change, after ${change(n)}`],
				]),
				['button', 'Redline: 7 changes wait for you. Click to decide.'],
				['button', 'Approve the change at the cursor'], ['button', 'Reject the change at the cursor'], ['button', 'Go to the previous change'], ['button', 'Go to the next change'],
				['button', 'Approve All Changes in File'], ['button', 'Reject All Changes in File'], ['button', /^Next Change/], ['button', /^Previous Change/],
				['tab', 'Redline - 7 changes wait for you'], ['tree', 'Plans'],
				['treeitem', /^plan 1\. add a discount to carts, 3 files, .*, waits for you$/], ['treeitem', 'file cart.go, +7 −10, waits for you'],
				['treeitem', 'change 1 of 7, line 4, +1 −1, waits for you'], ['treeitem', 'file off.go, create · +4 −0, waits for you'],
				['group', 'You'], ['group', 'Redline'], ['group', 'Plan 1, waits for you'], ['list', 'Files'],
				...['Approve', 'Review', 'Reject', 'Open as text', 'Trace'].map((name): [string, string] => ['button', name]),
			);
			const news = (await readScreen(w)).flatMap(({ role, name, isNews }) => (role === 'StaticText' && isNews ? [name] : []));
			assert.deepEqual(news.sort(), ['Carts have a discount now.', 'Plan 1 waits for you, 3 files, +12 −10, 7 changes to decide', 'Redline is working'], 'each is read once, when it is whole');

			// A decision is in words wherever the plan is shown.
			await w.goTo(4);
			await w.press('Control+Enter');
			await w.shows(/6 changes wait/);
			await w.goTo(9);
			await w.press('Control+Shift+Backspace');
			await w.shows(/5 changes wait/);
			await reads(w, ['treeitem', 'change 1 of 7, line 4, +1 −1 · applied'], ['treeitem', /^change 2 of 7, line \d+, \+1 −1 · rejected$/], ['tab', 'Redline - 5 changes wait for you']);
			await w.command('Redline: Review Plan');
			await w.page.locator('.multiDiffEditor').getByText('discount').first().waitFor();
			await reads(w, ['tab', /^Redline: plan 1 \(3 files\)/], ['button', /^Approve Plan/], ['button', /^Reject Plan/]);
		}, { size: { width: 1400, height: 900 } });
	} finally {
		model.stop();
	}
}
