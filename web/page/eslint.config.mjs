import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

// What would turn a text into markup or code. The texts of a plan come from a model, and from files of anyone.
const markup = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'srcdoc', 'createContextualFragment', 'parseFromString', 'write', 'writeln', 'cssText'];

export default defineConfig(
	globalIgnores(['dist/', 'out/', 'node_modules/', '*.mjs']),
	tseslint.configs.strictTypeChecked,
	{
		languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
		rules: {
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			'@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
		},
	},
	{
		files: ['src/**'],
		rules: {
			'no-eval': 'error',
			'no-script-url': 'error',
			'@typescript-eslint/no-implied-eval': 'error',
			'no-restricted-properties': ['error', ...markup.map((property) => ({ property, message: 'No text becomes markup: use element().' }))],
			'no-restricted-globals': ['error', { name: 'DOMParser', message: 'No text becomes markup.' }, { name: 'localStorage', message: 'Nothing is kept after the tab.' }],
			'no-restricted-syntax': ['error',
				{ selector: `Literal[value=/^(${markup.join('|')})$/]`, message: 'No text becomes markup: use element().' },
				{ selector: "CallExpression[callee.property.name='setAttribute'][arguments.0.value=/^(style|on.*|href|src)$/i]", message: 'The page has no inline style, no handler in markup and no address from a text.' },
			],
		},
	},
	{ files: ['test/**'], rules: { '@typescript-eslint/no-floating-promises': 'off', '@typescript-eslint/no-non-null-assertion': 'off' } },
);
