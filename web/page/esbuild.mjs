// Bundles the page into dist, which is committed since Go embeds it, and with --tests the tests into out.
// With --check it compares instead: dist must have the bytes that a build makes.
//   node esbuild.mjs [--check] [--tests]
import { build } from 'esbuild';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const flag = (name) => process.argv.includes(`--${name}`);

const { outputFiles } = await build({
	entryPoints: { page: 'src/main.ts' }, outdir: 'dist', bundle: true, minify: true, format: 'iife', platform: 'browser',
	target: ['chrome110', 'firefox115', 'safari16'], charset: 'utf8', legalComments: 'none', logLevel: 'warning', write: false,
});
const { outputFiles: styles } = await build({
	entryPoints: { page: 'src/page.css' }, outdir: 'dist', minify: true, target: ['chrome110', 'firefox115', 'safari16'], charset: 'utf8', logLevel: 'warning', write: false,
});
const made = { 'page.js': outputFiles[0].text, 'page.css': styles[0].text, 'index.html': readFileSync('src/index.html', 'utf8') };
for (const [name, text] of Object.entries(made)) {
	if (!flag('check')) {
		writeFileSync(`dist/${name}`, text);
	} else if (readFileSync(`dist/${name}`, 'utf8') !== text) {
		console.error(`web/page/dist/${name} is not what its sources make: run npm run build in web/page, and commit it.`);
		process.exitCode = 1;
	}
}
if (flag('tests')) {
	await build({
		entryPoints: readdirSync('test').filter((name) => name.endsWith('.test.ts') || name === 'pictures.ts').map((name) => `test/${name}`),
		outdir: 'out/test', bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20',
		outExtension: { '.js': '.mjs' }, sourcemap: 'inline', logLevel: 'warning',
	});
}
