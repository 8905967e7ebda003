import { execFile } from 'node:child_process';
import * as os from 'node:os';
import { type Answer, answerOf, keyVariable, without } from './core/setup';

/** The provider that a call is about, with its address and its key. */
export interface Subject {
	provider: string;
	baseUrl: string;
	/** If empty, the program uses the provider's environment variable, or no key. */
	key: string;
}

/** The error of a call that the user has cancelled. */
export const cancelled = 'Cancelled.';

/** The timeout of a test, in milliseconds: a local model may have to be loaded first. */
const longest = 5 * 60 * 1000;

/**
 * Runs `redline setup … --json` and returns its answer. The key goes into its environment, so that no process list shows
 * it, and is removed from every answer. If aborted, the answer is an error.
 */
export function askProgram<T>(
	program: string, environment: Record<string, string>, words: string[], subject: Subject | undefined,
	read: (raw: Record<string, unknown>) => T | undefined, signal?: AbortSignal,
): Promise<Answer<T>> {
	const key = subject?.key ?? '';
	const all = ['setup', '--json', ...words];
	if (subject) {
		all.push('--provider', subject.provider, ...(subject.baseUrl === '' ? [] : ['--base-url', subject.baseUrl]), ...(key === '' ? [] : ['--api-key-env', keyVariable]));
	}
	const env = { ...process.env, ...environment, ...(key !== '' && { [keyVariable]: key }) };
	return new Promise((resolve) => {
		execFile(program, all, { env, cwd: os.homedir(), timeout: longest, windowsHide: true, ...(signal && { signal }) }, (failure, stdout) => {
			if (signal?.aborted) {
				resolve({ error: cancelled });
				return;
			}
			if (failure?.killed) {
				resolve({ error: `The program “redline” did not answer within ${longest / 60_000} minutes.` });
				return;
			}
			const answer = answerOf(stdout, read);
			resolve(isError(answer) ? { error: without(key, answer.error) } : answer);
		});
	});
}

const isError = (answer: unknown): answer is { error: string } => typeof answer === 'object' && answer !== null && 'error' in answer;
