import type { CommandRun, Plan, Standing, Trial } from '../protocol';
import { commandLine, isDecidable } from './plans';

/** What can be read off the trials of a plan: commands that were run on what it proposes. */

export const noTrials: Standing = { trials: 'none', checks: false };

/** Those to show with the plan, oldest first. */
export const shownTrials = (plan: Plan): Trial[] => (plan.trials ?? []).filter((trial) => trial.shown);

export const hasPassed = (trial: Trial): boolean => trial.verdict === 'passed';

/** The trial that the plan can be fixed for: it is shown with it, and has failed on the texts of now. */
export const failing = (plan: Plan): Trial | undefined =>
	isDecidable(plan) ? shownTrials(plan).find((trial) => trial.current && !hasPassed(trial)) : undefined;

/** Tells whether something of the plan has failed that it can be fixed for: as it was carried out, or in a trial. */
export const isFixable = (plan: Plan): boolean => plan.state === 'failed' || failing(plan) !== undefined;

/** Tells whether the plan names a command that can be tried: one of its own, or one that was tried. */
export const namesCommand = (plan: Plan): boolean => plan.commands.length > 0 || (plan.trials ?? []).length > 0;

/** What can be done about trials of a plan: nothing in a workspace that has none, or is not trusted. */
export function trying(plan: Plan, { trials, checks }: Standing): 'try' | 'allow' | undefined {
	if (!isDecidable(plan) || plan.textOnly || trials === 'none') {
		return undefined;
	}
	return trials === 'allowed' ? 'try' : checks || namesCommand(plan) ? 'allow' : undefined;
}

/** Tells whether a code action tries commands, or lets them be tried. */
export const isOfTrials = ({ command }: { command?: string | { command: string } }): boolean =>
	['redline.try', 'redline.allowTrials'].includes(typeof command === 'object' ? command.command : (command ?? ''));

/** What came of a command as it was tried on the texts of now: “in a trial: passed”; undefined if it was not. */
export function triedAs(plan: Plan, { command, cwd = '' }: CommandRun): string | undefined {
	const trial = shownTrials(plan).find((t) => t.current && t.command === command && (t.cwd ?? '') === cwd);
	return trial && `in a trial: ${trial.verdict}`;
}

/** What came of a trial: “fails now, after 2.3 s”. */
export const outcome = (trial: Trial): string => `${trial.verdict}, after ${took(trial.durationMs)}${trial.current ? '' : ', of an earlier text'}`;

/** How long something took, as people say it. */
export function took(ms: number): string {
	if (ms < 10_000) {
		return `${(ms / 1000).toFixed(1)} s`;
	}
	const seconds = Math.round(ms / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A trial as a text to read: the command, what came of it, and its output. */
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
