import type { Outside, Plan, State } from '../protocol';

/** Redline's own model, as `redline.chat` and `/with` name it beside the outside agents. */
export const own = 'model';

/** Who can do the work of requests, and who does. */
export interface Workers {
	agents: string[];
	chosen: string;
	/** The name of Redline's own model; "" until it is known. */
	model: string;
}

/**
 * Returns who can work. `wanted` is what the user chose last; if that is gone, it is the default of the settings, or else
 * Redline's own model.
 */
export function workers(agents: readonly Outside[], wanted: string | undefined, model: State['model'] = { provider: '', name: '' }): Workers {
	const names = agents.map((agent) => agent.name);
	const chosen = [wanted, agents.find((agent) => agent.default)?.name].find((name) => name === own || (name !== undefined && names.includes(name)));
	return { agents: names, chosen: chosen ?? own, model: model.provider === 'builtin' ? builtin : model.name };
}

/** Returns whom a message chooses by `/with NAME`; undefined if it chooses nobody. */
export const choiceIn = (message: string): string | undefined => /^\s*\/with[ \t]+([^\s]+)\s*$/.exec(message)?.[1];

/** Returns who made a plan, if it was a program in a copy of the workspace. */
export const madeBy = ({ by }: Plan): string | undefined => (by === undefined || by === own || by === 'user' ? undefined : `Made by ${by} in a copy`);

/** Returns that the user has changed a plan, if the newest revision is theirs. */
export const changedBy = ({ revision, revisions }: Plan): string | undefined =>
	revision > 1 && revisions?.find((one) => one.revision === revision)?.author === 'user' ? `Revision ${revision}, changed by you` : undefined;

/** Returns the answer to a request without what the card of its plan says: who made the plan, and what it lacks. */
export function besideCard(answer: string, plan: Plan): string {
	const made = madeBy(plan);
	const said = [...(plan.unfinished ?? []), ...(made === undefined ? [] : [`${made} of the workspace.`])];
	return answer.split('\n\n').filter((paragraph) => !said.includes(paragraph)).join('\n\n');
}

/** How the model is called that comes with Redline. */
export const builtin = 'Built-in model';

/** Returns how a worker is called in the chooser. */
export const workerLabel = (name: string, model: string): string => (name === own ? model : `${name}, in a copy`);
