// Bundles the extension, the page of the chat view and the tests. dist/inputs.json lists the files that are in the first two.
//   node esbuild.mjs [--watch] [--production] [--tests]
import { build, context } from 'esbuild';
import { readdirSync, writeFileSync } from 'node:fs';

const flag = (name) => process.argv.includes(`--${name}`);
const common = { bundle: true, sourcemap: !flag('production'), minify: flag('production'), logLevel: 'warning', metafile: true };
const bundles = [
	{ ...common, entryPoints: { extension: 'src/main.ts' }, outdir: 'dist', platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'] },
	{ ...common, entryPoints: { chat: 'webview/main.ts' }, outdir: 'dist', platform: 'browser', format: 'iife', target: 'es2022' },
];
if (flag('tests')) {
	bundles.push({ ...common, minify: false, entryPoints: ['e2e/all.test.ts'], outdir: 'out/e2e', platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' }, target: 'node20', packages: 'external' });
	const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
	bundles.push({ ...common, minify: false, entryPoints: tests, outdir: 'out/test', platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' }, target: 'node20', packages: 'external' });
}
const inputs = [];
for (const bundle of bundles) {
	if (flag('watch')) {
		await (await context(bundle)).watch();
		continue;
	}
	const { metafile } = await build(bundle);
	if (bundle.outdir === 'dist') {
		inputs.push(...Object.keys(metafile.inputs));
	}
}
if (!flag('watch')) {
	writeFileSync('dist/inputs.json', JSON.stringify(inputs));
}
