/** Setting up a model: what `redline setup --json` answers, in which order it is shown, and what is said of it. */

/** A provider, as `redline setup --providers --json` lists it. */
export interface Provider {
	id: string;
	name: string;
	base_url: string;
	/** The environment variable of its key. */
	variable: string;
	needs_key: boolean;
	asks_base_url: boolean;
	/** It runs on this machine. */
	local: boolean;
	/** Its variable is set, or its local server answers. */
	found: boolean;
}

/** What came of a test request. */
export interface Tested {
	/** Empty if the model said nothing. */
	answer: string;
	tools: boolean;
	streaming: boolean;
	/** How many tokens the model reads at once; 0 if that is not known. */
	context: number;
	warnings: string[];
}

/** What was chosen, as the settings keep it. The key is not part of it. */
export interface Chosen {
	provider: string;
	name: string;
	/** Empty: the provider's own. */
	baseUrl: string;
}

/** An answer of the program, or one sentence about why there is none. */
export type Answer<T> = T | { error: string };

/** The environment variable by which a key goes to the program. */
export const keyVariable = 'REDLINE_API_KEY';

type Raw = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads what the program wrote to stdout: one JSON value. */
function parse(stdout: string): Raw | undefined {
	try {
		const value = JSON.parse(stdout) as unknown;
		return typeof value === 'object' && value !== null ? (value as Raw) : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Says what an answer of the program is: the part of it that read returns, or an error. A program without this command
 * writes no JSON.
 */
export function answerOf<T>(stdout: string, read: (raw: Raw) => T | undefined): Answer<T> {
	const raw = parse(stdout);
	if (raw && text(raw['error']) !== '') {
		return { error: text(raw['error']) };
	}
	return (raw && read(raw)) ?? { error: 'This version of the program “redline” cannot set up a model. Install a newer one.' };
}

export function readProviders(raw: Raw): Provider[] | undefined {
	const list = raw['providers'];
	return Array.isArray(list) ? (list as Raw[]).filter((p) => text(p['id']) !== '').map((p) => ({
		id: text(p['id']), name: text(p['name']) || text(p['id']), base_url: text(p['base_url']), variable: text(p['variable']),
		needs_key: p['needs_key'] === true, asks_base_url: p['asks_base_url'] === true, local: p['local'] === true, found: p['found'] === true,
	})) : undefined;
}

export function readModels(raw: Raw): string[] | undefined {
	const list = raw['models'];
	return Array.isArray(list) ? (list as unknown[]).filter((name): name is string => typeof name === 'string' && name !== '') : undefined;
}

export function readTested(raw: Raw): Tested | undefined {
	return typeof raw['ok'] !== 'boolean' ? undefined : { // false: there are warnings
		answer: text(raw['answer']), tools: raw['tools'] === true, streaming: raw['streaming'] === true,
		context: typeof raw['context'] === 'number' ? raw['context'] : 0,
		warnings: Array.isArray(raw['warnings']) ? (raw['warnings'] as unknown[]).filter((w): w is string => typeof w === 'string') : [],
	};
}

/** The environment variable of an address that belongs to no provider in particular. */
export const addressVariable = 'OPENAI_BASE_URL';

/** The model in the program itself has no address and no name. */
export const isBuiltin = (p: Provider): boolean => p.local && p.base_url === '' && !p.asks_base_url;

/** Providers with those that are found on this machine first, otherwise in the program's order. */
export const foundFirst = (providers: Provider[]): Provider[] => [...providers.filter((p) => p.found), ...providers.filter((p) => !p.found)];

/** Why a provider is among those that were found, or what it needs. */
export function about(p: Provider): string {
	if (isBuiltin(p)) {
		return 'no key, no network';
	}
	if (p.found) {
		return p.local ? `answers at ${p.base_url}` : `${p.needs_key ? p.variable : addressVariable} is set`;
	}
	return p.local ? 'on this machine' : p.asks_base_url ? 'at an address that you enter' : 'needs a key';
}

/** The steps of a provider, in their order. */
export type Step = 'provider' | 'address' | 'key' | 'model';

export const stepsOf = (p: Provider): Step[] => isBuiltin(p) ? ['provider'] :
	['provider', ...(p.asks_base_url ? (['address'] as const) : []), ...(p.local ? [] : (['key'] as const)), 'model'];

/** What is wrong with a base URL, undefined if nothing is. */
export function wrongAddress(address: string): string | undefined {
	try {
		const { protocol, hostname } = new URL(address.trim());
		if ((protocol === 'https:' || protocol === 'http:') && hostname !== '') {
			return undefined;
		}
	} catch {
		// said below
	}
	return 'Enter an address that begins with https:// or http://, such as https://api.example.com/v1.';
}

/** Tells whether a key would go over the network as plain text. */
export function isPlain(address: string): boolean {
	try {
		const { protocol, hostname } = new URL(address.trim());
		return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
	} catch {
		return false;
	}
}

/** What is wrong with a key, undefined if nothing is. */
export function wrongKey(key: string, needed: boolean): string | undefined {
	if (key.trim() === '') {
		return needed ? 'Paste the key here.' : undefined;
	}
	return /\s/.test(key.trim()) ? 'A key has no spaces. Paste only the key.' : undefined;
}

/** A number of tokens as people say it: 128k. */
export function tokens(count: number): string {
	const thousand = count % 4096 === 0 ? 1024 : 1000;
	const thousands = Math.round(count / thousand);
	return count < 1000 ? String(count) : thousands < thousand ? `${thousands}k` : `${Number((thousands / thousand).toFixed(1))}M`;
}

/** The result of a test in words. took is in milliseconds. */
export function resultOf(model: string, tested: Tested, took: number): string {
	const known = tested.warnings.length > 0; // they say what is missing, and what to do about it
	return [
		`${model} ${tested.answer === '' ? 'sent an empty answer after' : 'answered in'} ${(took / 1000).toFixed(1)} s.`,
		...(tested.tools ? ['Tools work.'] : known ? [] : ['It cannot call tools: it writes its edits as text, which fails more often.']),
		...(tested.streaming || known ? [] : ['Its answers are not streamed.']),
		...(tested.context > 0 ? [`Context: ${tokens(tested.context)}.`] : []),
		...tested.warnings,
	].join(' ');
}

/** The environment of a server that asks the chosen model; the key is empty if it has one of its own, or needs none. */
export function environmentOf(chosen: Chosen, key: string): Record<string, string> {
	if (chosen.provider === '' && chosen.name === '' && chosen.baseUrl === '') {
		return {};
	}
	const all = { REDLINE_PROVIDER: chosen.provider, REDLINE_MODEL: chosen.name, REDLINE_BASE_URL: chosen.baseUrl, [keyVariable]: key };
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Takes a key out of a text that is to be shown or logged. */
export const without = (key: string, said: string): string => (key === '' ? said : said.replaceAll(key, '…'));

/** An error without the variable that it names as the way out: here the way is the step before. */
export const withoutVariable = (error: string): string => error.replace(/: (check|set) [A-Z_]{2,}.*$/s, '.');

const signs = [
	/^The model provider at .* (wants a key|refused the key|does not allow this request|does not know the model|cannot be reached|answered with a web page)/s,
	/^The base URL of the model provider is not /,
	/^I am Redline's built-in model\./,
];

/** Tells whether an error or an answer is about which model is asked, or its key: to set one up is the way out. */
export const wantsSetup = (said: string): boolean => signs.some((sign) => sign.test(said.replace(/^Redline: /, '')));
