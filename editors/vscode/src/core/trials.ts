import type { CommandRun, Plan, Standing, Trial } from '../protocol';
import { commandLine, isDecidable } from './plans';
import { adds } from './problems';

/** Properties of the trials of a plan. */

export const noTrials: Standing = { trials: 'none', checks: false };

/** Returns the trials to show with the plan, oldest first. */
export const shownTrials = (plan: Plan): Trial[] => (plan.trials ?? []).filter((trial) => trial.shown);

export const hasPassed = (trial: Trial): boolean => trial.verdict === 'passed';

/** Returns the trial that the plan can be fixed for: shown, current and failed. */
export const failing = (plan: Plan): Trial | undefined =>
	isDecidable(plan) ? shownTrials(plan).find((trial) => trial.current && !hasPassed(trial)) : undefined;

/** Reports whether a current trial of a plan that is to be decided on has failed, or the plan adds errors. */
export const isBroken = (plan: Plan): boolean => failing(plan) !== undefined || adds(plan) !== undefined;

/** Reports whether the plan can be fixed: its execution failed, or it is broken as proposed. */
export const isFixable = (plan: Plan): boolean => plan.state === 'failed' || isBroken(plan);

/** Reports whether the plan has a command to try: its own, or one of an earlier trial. */
export const namesCommand = (plan: Plan): boolean => plan.commands.length > 0 || (plan.trials ?? []).length > 0;

/** Returns which button about trials to offer for a plan, if any. */
export function trying(plan: Plan, { trials, checks }: Standing): 'try' | 'allow' | undefined {
	if (!isDecidable(plan) || plan.textOnly || trials === 'none') {
		return undefined;
	}
	return trials === 'allowed' ? 'try' : checks || namesCommand(plan) ? 'allow' : undefined;
}

/** Reports whether a code action runs or allows trials. */
export const isOfTrials = ({ command }: { command?: string | { command: string } }): boolean =>
	['redline.try', 'redline.allowTrials'].includes(typeof command === 'object' ? command.command : (command ?? ''));

/** Returns the result of the current trial of a command: “in a trial: passed”; undefined if there is none. */
export function triedAs(plan: Plan, { command, cwd = '' }: CommandRun): string | undefined {
	const trial = shownTrials(plan).find((t) => t.current && t.command === command && (t.cwd ?? '') === cwd);
	return trial && `in a trial: ${trial.result}`;
}

/** Returns the result of a trial: “fails now, after 2.3 s”. */
export const outcome = (trial: Trial): string => `${trial.result}, after ${took(trial.durationMs)}${trial.current ? '' : ', of an earlier text'}`;

/** Returns a duration in short: “2.3 s”, “1 min 2 s”. */
export function took(ms: number): string {
	if (ms < 10_000) {
		return `${(ms / 1000).toFixed(1)} s`;
	}
	const seconds = Math.round(ms / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a trial as text: the command, its result and its output. */
export function report(plan: Plan, trial: Trial): string {
	const exit = (code: number | null) => (code === null ? 'did not exit' : `exit code ${code}`);
	const { baseline } = trial;
	return [
		`$ ${commandLine(trial)}`,
		`Trial on plan ${plan.plan}, revision ${trial.revision}: ${outcome(trial)} (${exit(trial.exitCode)}).`,
		...(trial.problem ? [trial.problem] : []),
		...(baseline ? [`Without the plan's edits: ${exit(baseline.exitCode)}, after ${took(baseline.durationMs)}.`] : []),
		'',
		trial.output.trimEnd() || 'No output.',
		'',
	].join('\n');
}
