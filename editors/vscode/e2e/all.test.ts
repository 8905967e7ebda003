import { after, before, describe, test } from 'node:test';
import { reloaded } from './again';
import { dayOne, folders } from './dayone';
import { treeAndDiff, wholeJob } from './job';
import { packaged } from './packaged';
import { pictures } from './pictures';
import { chat } from './talk';
import { activation, killed, killedMidApproval, missing, untrusted } from './trouble';
import { typing } from './typing';
import { tools, World } from './world';

const found = tools();

describe('VS Code', { skip: 'problem' in found ? found.problem : false }, () => {
	let world: World;
	before(async () => (world = await World.start()));
	after(() => world.stop());

	const to = process.env['REDLINE_PICTURES'];
	if (to !== undefined) { // and nothing else
		test('pictures for the documentation', () => pictures(world, to));
		return;
	}

	test('the whole job, with the keyboard', () => wholeJob(world));
	test('the tree of plans and the diff editor', () => treeAndDiff(world));
	test('the chat: streaming, Markdown, a plan, cancelling', () => chat(world));
	test('the chat after the window was loaded again', () => reloaded(world));
	test('a selection, a problem, /retry and /cancel', () => dayOne(world));
	test('two folders, one of them in a repository', () => folders(world));
	test('typing', () => typing(world));
	test('a server that is killed during an approval', () => killedMidApproval(world));
	test('a server that is killed', () => killed(world));
	test('a server that is missing', () => missing(world));
	test('a workspace that is not trusted', () => untrusted());
	test('the package with the program in it', () => packaged(world.server));
	test('activation', () => activation(world));
});
