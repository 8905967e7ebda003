import { access } from './access';
import { after, before, describe, test } from 'node:test';
import { reloaded } from './again';
import { reviewBeside } from './beside';
import { context } from './context';
import { comparing } from './comparing';
import { autoSave, autoSavedComparison, savedOnFocusChange } from './autosave';
import { createdFiles } from './created';
import { dayOne, folders } from './dayone';
import { editing } from './editing';
import { eightSteps } from './eightsteps';
import { hostile } from './hostile';
import { treeAndDiff, wholeJob } from './job';
import { keyboardAlone } from './keyboard';
import { outdated, packaged } from './packaged';
import { outside } from './outside';
import { pictures } from './pictures';
import { broken } from './broken';
import { chat } from './talk';
import { activation, killed, killedMidApproval, missing, untrusted } from './trouble';
import { revisionsAndTrace } from './revisions';
import { fromNothing, setUp } from './setup';
import { running } from './running';
import { reviewOfRevisions, surfaces } from './surfaces';
import { trials } from './trials';
import { typescript } from './typescript';
import { typing } from './typing';
import { proposals } from './proposals';
import { rewrite } from './rewrite';
import { themes } from './themes';
import { walkthrough } from './walkthrough';
import { work } from './work';
import { truth } from './truth';
import { tools, World } from './world';
import { zoomed } from './zoomed';

const found = tools();

/** What a test may take on a machine that is busy. */
const limit = { timeout: 600_000 };

describe('VS Code', { skip: 'problem' in found ? found.problem : false }, () => {
	let world: World;
	before(async () => (world = await World.start()));
	after(() => world.stop());

	const to = process.env['REDLINE_PICTURES'];
	if (to !== undefined) { // and nothing else
		test('pictures for the documentation', limit, () => pictures(world, to));
		return;
	}

	test('proposed API is refused', limit, () => proposals(world));
	test('what is proposed, in four themes', limit, () => themes(world));
	test('a rewrite in the text', limit, () => rewrite(world));
	test('the eight steps', limit, () => eightSteps(world));
	test('what a screen reader reads', limit, () => access(world));
	test('the keyboard alone', limit, () => keyboardAlone(world));
	test('at 200 %', limit, () => zoomed(world));
	test('deciding in the comparison of a whole plan', limit, () => comparing(world));
	test('editing the proposed side of a comparison', limit, () => editing(world));
	test('two plans for one file of TypeScript', limit, () => typescript(world));
	test('a plan that adds errors', limit, () => broken(world));
	test('what is shown is so', limit, () => truth(world));
	test('the whole job, with the keyboard', limit, () => wholeJob(world));
	test('the tree of plans and the diff editor', limit, () => treeAndDiff(world));
	test('every surface after each decision', limit, () => surfaces(world));
	test('a comparison of a whole plan after each revision', limit, () => reviewOfRevisions(world));
	test('staging, revisions, a rating and a trace', limit, () => revisionsAndTrace(world));
	test('the chat: streaming, Markdown, a plan, cancelling', limit, () => chat(world));
	test('a slow turn shows its work', limit, () => work(world));
	test('what goes with a message, and who answers it', limit, () => context(world));
	test('approve and run', limit, () => running(world));
	test('setting up a model', limit, () => setUp(world));
	test('from nothing to an approved edit', limit, () => fromNothing());
	test('a preview and auto-save', limit, () => autoSave(world));
	test('a comparison and auto-save', limit, () => autoSavedComparison(world));
	test('a comparison that is saved when the focus leaves it', limit, () => savedOnFocusChange(world));
	test('trials', limit, () => trials(world));
	test('an outside agent', limit, () => outside(world));
	test('the chat after the window was loaded again', limit, () => reloaded(world));
	test('a selection, a problem, /retry and /cancel', limit, () => dayOne(world));
	test('two folders, one of them in a repository', limit, () => folders(world));
	test('created files, byte for byte', limit, () => createdFiles(world));
	test('texts that would load or run something', limit, () => hostile(world));
	test('a review in a browser beside', limit, () => reviewBeside(world));
	test('typing', limit, () => typing(world));
	test('a server that is killed during an approval', limit, () => killedMidApproval(world));
	test('a server that is killed', limit, () => killed(world));
	test('a server that is missing', limit, () => missing(world));
	test('a server that is too old', limit, () => outdated(world));
	test('a workspace that is not trusted', limit, () => untrusted());
	test('the package with the program in it', limit, () => packaged(world.server));
	test('the walkthrough', limit, () => walkthrough(world));
	test('activation', limit, () => activation(world));
});
