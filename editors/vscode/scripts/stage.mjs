// Gathers what a package of the extension has in it, in a folder from which vsce packs.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What is packed as it is. */
const parts = ['LICENSE', 'media', 'walkthrough'];

/** Fields of package.json that are about building the extension, not about using it. */
const ofSources = ['private', 'scripts', 'devDependencies'];

/** The owner's file: package.json itself has no address. */
const project = JSON.parse(readFileSync('../../packaging/project.json', 'utf8'));

/**
 * Fills a folder: the bundle, which must be built, the pages and the manifest with the addresses of packaging/project.json.
 * A version replaces that of package.json, and heads what the changelog calls unreleased. A program goes into bin/, and
 * its licences into the list of licences.
 */
export function stage(folder, { version, program, licences }) {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const part of parts) {
		cpSync(part, join(folder, part), { recursive: true });
	}
	for (const name of ['extension.js', 'chat.js']) {
		cpSync(join('dist', name), join(folder, 'dist', name));
	}
	write(folder, 'README.md', published(readFileSync('README.md', 'utf8')));
	write(folder, 'package.json', JSON.stringify(manifest(version), undefined, '\t') + '\n');
	const changes = readFileSync('CHANGELOG.md', 'utf8');
	write(folder, 'CHANGELOG.md', version === undefined ? changes : changes.replace(/^## Unreleased$/m, `## ${version}`));
	write(folder, 'THIRD-PARTY-LICENCES.txt', bundled() + (licences === undefined ? '' : `\n${readFileSync(licences, 'utf8')}`));
	if (program !== undefined) {
		mkdirSync(join(folder, 'bin'));
		cpSync(program.file, join(folder, 'bin', program.name));
	}
	fixModes(folder);
}

function manifest(version) {
	const own = JSON.parse(readFileSync('package.json', 'utf8'));
	for (const field of ofSources) {
		delete own[field];
	}
	return {
		...own,
		version: version ?? own.version,
		publisher: project.publisher,
		license: project.licence,
		homepage: project.homepage,
		repository: { type: 'git', url: project.repository },
		bugs: { url: `${project.repository}/issues` },
		files: ['**/*'],
	};
}

/** Returns a page with addresses in the repository in place of paths: it is shown by registries, which do not have its files. */
function published(page) {
	return page.replace(/(!?)(\[[^\]]*\])\(\.\.\/\.\.\/([^)\s]+)\)/g, (_, image, text, path) => `${image}${text}(${project.repository}/${image === '' ? 'blob' : 'raw'}/HEAD/${path})`);
}

/** Returns the licences of the libraries that are bundled into dist. */
function bundled() {
	const used = new Set();
	for (const input of JSON.parse(readFileSync('dist/inputs.json', 'utf8'))) {
		const [, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
		if (name !== undefined) {
			used.add(input.slice(0, input.lastIndexOf(`node_modules/${name}/`)) + `node_modules/${name}`);
		}
	}
	let text = 'The extension contains these libraries.\n';
	for (const dir of [...used].sort()) {
		const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
		const file = readdirSync(dir).find((entry) => /^licen[sc]e/i.test(entry));
		if (file === undefined) {
			throw new Error(`${name} has no file with its licence`);
		}
		text += `\n${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${readFileSync(join(dir, file), 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
	}
	return text;
}

function write(folder, name, text) {
	mkdirSync(dirname(join(folder, name)), { recursive: true });
	writeFileSync(join(folder, name), text);
}

/** Gives every file the mode that it has in each package, whatever the umask was: VS Code installs with these modes. */
function fixModes(folder) {
	for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
		const file = join(folder, name);
		const isProgram = dirname(name) === 'bin';
		chmodSync(file, statSync(file).isDirectory() || isProgram ? 0o755 : 0o644);
	}
}
