import { execFile } from 'node:child_process';
import * as os from 'node:os';
import { type Answer, answerOf, keyVariable, without } from './core/setup';

/** What the program is asked about: a provider with its address and its key. */
export interface Subject {
	provider: string;
	baseUrl: string;
	/** Empty: the variable of the provider counts, or it needs none. */
	key: string;
}

/** The error of what the user has cancelled. */
export const cancelled = 'Cancelled.';

/** The longest that a test may take, in milliseconds: a model on this machine may have to be loaded first. */
const longest = 5 * 60 * 1000;

/**
 * Asks the program about models: `redline setup … --json`. A key goes to it by its environment, so that no list of
 * processes shows it, and is in no answer. Aborted, it answers an error as well.
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
