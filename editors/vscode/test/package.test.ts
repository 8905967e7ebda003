import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { after, test } from 'node:test';

/** The folder that is packed as it is, without a program. */
const folder = mkdtempSync(join(tmpdir(), 'redline-stage-'));
after(() => rmSync(folder, { recursive: true, force: true }));
execFileSync('node', ['--input-type=module', '-e', "const { stage } = await import(process.cwd() + '/scripts/stage.mjs'); stage(process.argv[1], { version: '1.2.3' });", folder], { stdio: 'inherit' });

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile()).map((name) => name.replaceAll('\\', '/')).sort();
const { repository } = JSON.parse(readFileSync('../../packaging/project.json', 'utf8')) as { repository: string };

test('the package has what is used and nothing else: no sources, tests or maps', () => {
	assert.deepEqual(files, [
		'CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-LICENCES.txt', 'dist/chat.js', 'dist/extension.js',
		...['activity.svg', 'chat.css', 'icon.png', 'icon.svg', 'mark-stale.svg', 'mark.svg'].map((name) => `media/${name}`), 'package.json',
		...['ask.md', 'decide.md', 'decide.png', 'model.md', 'review.md', 'review.png', 'server.md'].map((name) => `walkthrough/${name}`),
	]);
	const size = files.filter((name) => name.endsWith('.png')).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
	assert.ok(size < 150_000, `pictures of ${size} bytes`);
});

/** Returns what a page links to, and shows as a picture. */
const links = (page: string): string[] => [...page.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, link = '']) => link.startsWith('command:') ? [] : [link]);

/** Returns the anchors of a page's headings, as registries make them. */
const anchors = (page: string): string[] => [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-'));

test('each link and picture of a page in the package is in the package, or in the repository at an address of the web', () => {
	let web = 0, pictures = 0;
	for (const name of files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')) {
		const page = readFileSync(join(folder, name), 'utf8');
		for (const link of links(page)) {
			const [file = '', anchor] = link.split('#'), inRepository = file.startsWith(`${repository}/`);
			pictures += /\.png$/.test(file) ? 1 : 0;
			if (inRepository) {
				web++;
				const [, kind, path = ''] = /^\/(raw|blob)\/HEAD\/(.+)$/.exec(file.slice(repository.length)) ?? [];
				assert.ok(existsSync(join('../..', path)) && path !== '', `${name}: ${link}`);
				assert.equal(kind, /\.(png|svg)$/.test(path) ? 'raw' : 'blob', link);
				assert.ok(anchor === undefined || anchors(readFileSync(join('../..', path), 'utf8')).includes(anchor), `${name}: ${link}`);
			} else {
				const path = normalize(join(dirname(name), file));
				assert.ok(file === '' || files.includes(path), `${name}: ${link} is in neither`);
				assert.ok(anchor === undefined || anchors(file === '' ? page : readFileSync(join(folder, path), 'utf8')).includes(anchor), `${name}: ${link}`);
			}
		}
	}
	assert.ok(web >= 5 && pictures >= 5, `${web} links to the web and ${pictures} pictures: does this test still look in the right place?`);
});
