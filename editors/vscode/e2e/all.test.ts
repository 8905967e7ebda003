import { after, before, describe, test } from 'node:test';
import { treeAndDiff, wholeJob } from './job';
import { chat } from './talk';
import { activation, killed, missing, untrusted } from './trouble';
import { tools, World } from './world';

const found = tools();

describe('VS Code', { skip: 'problem' in found ? found.problem : false }, () => {
	let world: World;
	before(async () => (world = await World.start()));
	after(() => world.stop());

	test('the whole job, with the keyboard', () => wholeJob(world));
	test('the tree of plans and the diff editor', () => treeAndDiff(world));
	test('the chat: streaming, Markdown, a plan, cancelling', () => chat(world));
	test('a server that is killed', () => killed(world));
	test('a server that is missing', () => missing(world));
	test('a workspace that is not trusted', () => untrusted());
	test('activation', () => activation(world));
});
