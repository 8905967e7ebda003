// Bundles the extension, the page of the chat view and the tests.
//   node esbuild.mjs [--watch] [--production] [--tests]
import { build, context } from 'esbuild';
import { readdirSync } from 'node:fs';

const flag = (name) => process.argv.includes(`--${name}`);
const common = { bundle: true, sourcemap: !flag('production'), minify: flag('production'), logLevel: 'warning' };
const bundles = [
	{ ...common, entryPoints: { extension: 'src/main.ts' }, outdir: 'dist', platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'] },
	{ ...common, entryPoints: { chat: 'webview/main.ts' }, outdir: 'dist', platform: 'browser', format: 'iife', target: 'es2022' },
];
if (flag('tests')) {
	bundles.push({ ...common, minify: false, entryPoints: ['e2e/all.test.ts'], outdir: 'out/e2e', platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' }, target: 'node20', packages: 'external' });
	const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
	bundles.push({ ...common, minify: false, entryPoints: tests, outdir: 'out/test', platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' }, target: 'node20', packages: 'external' });
}
for (const bundle of bundles) {
	if (flag('watch')) {
		await (await context(bundle)).watch();
	} else {
		await build(bundle);
	}
}
