// Has code-server refuse proposed API again, as stable VS Code does: it grants all of it to every extension, so that tests
// would pass with what users cannot have. May be run again at any time.
//   node scripts/refuse-proposals.mjs FOLDER      the folder lib/vscode/out of code-server 4.100.3
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const hosts = ['server-main.js', 'vs/workbench/api/node/extensionHostProcess.js', 'vs/workbench/api/worker/extensionHostWorkerMain.js', 'vs/code/browser/workbench/workbench.js'];

for (const name of hosts) {
	const file = join(process.argv[2], name), text = readFileSync(file, 'utf8');
	const [, check] = /if\(!([\w$]+)\(\w,\w\)\)throw new Error\(`Extension '\$\{\w\.identifier\.value\}' CANNOT use API proposal/.exec(text) ?? [];
	if (check === undefined) {
		throw new Error(`${file} does not check proposed API where code-server 4.100.3 does`);
	}
	const grants = new RegExp(`function ${check.replaceAll('$', '\\$')}\\((\\w),(\\w)\\)\\{return!0\\}`);
	if (grants.test(text)) {
		const refuses = text.replace(grants, (_, extension, proposal) => `function ${check}(${extension},${proposal}){return ${extension}.enabledApiProposals?.includes(${proposal})===!0}`);
		writeFileSync(`${file}.new`, refuses);
		renameSync(`${file}.new`, file);
	}
}
