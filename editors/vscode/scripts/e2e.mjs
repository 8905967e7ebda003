// Runs test files with node's test runner; a test that fails is run once more by itself.
//   node scripts/e2e.mjs [--only NAME] [FILE…]
// Without a file it runs the tests that drive a real workbench.
// One that passes then is flaky: it is named at the end with the output of both runs, and the run is good. A test that
// fails twice fails the run, and so does all that is no failed test: a hook, a test that runs out of time, a file that ends.
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/**
 * Runs the files, or the tests of them with a name. Returns why tests failed, by name, how many passed, what was printed
 * besides, and whether all else was good.
 */
async function once(files, name) {
	const pattern = name === undefined ? undefined : [new RegExp(`(^|\\s)${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)];
	const events = run({ files, concurrency: 1, ...(pattern && { testNamePatterns: pattern }) });
	const failed = new Map();
	let output = '', good = true, passed = 0;
	for (const kind of ['test:stdout', 'test:stderr']) {
		events.on(kind, ({ message }) => (output += message));
	}
	events.on('test:pass', ({ details, skip }) => {
		if (details.type !== 'suite' && skip === undefined) {
			passed++;
		}
	});
	events.on('test:fail', ({ name: test, details: { error } }) => {
		if (error.failureType === 'testCodeFailure') {
			failed.set(test, `${error.cause?.stack ?? error.cause ?? error.message}\n`);
		} else if (error.failureType !== 'subtestsFailed') {
			good = false;
		}
	});
	for await (const line of events.compose(new spec())) {
		process.stdout.write(line);
	}
	return { failed, passed, good, output };
}

const words = process.argv.slice(2);
const only = words[0] === '--only' ? words.splice(0, 2)[1] : undefined;
const files = words.length > 0 ? words : ['out/e2e/all.test.mjs'];
const first = await once(files, only);
let { good } = first;
let flaky = '', count = 0;
for (const [name, why] of first.failed) {
	process.stdout.write(`\neditors/vscode ${name} has failed: it is run once more.\n`);
	const second = await once(files, name);
	if (!second.good || second.failed.size > 0 || second.passed === 0) {
		good = false;
		process.stdout.write(`editors/vscode ${name} has failed twice:\n${second.failed.get(name) ?? ''}`);
		continue;
	}
	count++;
	flaky += `\nflaky: editors/vscode ${name}\n--- first run\n${first.output}${why}--- second run\n${second.output}`;
}
if (count > 0) {
	process.stdout.write(`${flaky}\nflaky: ${count} of the tests above failed and passed when run once more\n`);
}
process.exitCode = good ? 0 : 1;
