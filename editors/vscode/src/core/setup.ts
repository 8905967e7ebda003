/** Reads the answers of `redline setup --json`, and puts them into words. */

/** A provider, as `redline setup --providers --json` lists it. */
export interface Provider {
	id: string;
	name: string;
	baseUrl: string;
	/** The environment variable of its key. */
	variable: string;
	needsKey: boolean;
	asksBaseUrl: boolean;
	/** Whether it runs on this machine. */
	local: boolean;
	/** Whether its variable is set, or its local server answers. */
	found: boolean;
}

/** The result of a test request. */
export interface Tested {
	/** Empty if the model sent no text. */
	answer: string;
	tools: boolean;
	streaming: boolean;
	/** The size of the context in tokens; 0 if unknown. */
	context: number;
	warnings: string[];
}

/** The chosen model, as in the settings. The key is not part of it. */
export interface Chosen {
	provider: string;
	name: string;
	/** Empty for the provider's default. */
	baseUrl: string;
}

/** An answer of the program, or why there is none, in one sentence. */
export type Answer<T> = T | { error: string };

/** The environment variable that passes a key to the program. */
export const keyVariable = 'REDLINE_API_KEY';

type Raw = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses the output of the program: one JSON value. */
function parse(stdout: string): Raw | undefined {
	try {
		const value = JSON.parse(stdout) as unknown;
		return typeof value === 'object' && value !== null ? (value as Raw) : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Returns what read finds in the output of the program, or an error. A program without this command prints no JSON.
 */
export function answerOf<T>(stdout: string, read: (raw: Raw) => T | undefined): Answer<T> {
	const raw = parse(stdout);
	if (raw && text(raw['error']) !== '') {
		return { error: text(raw['error']) };
	}
	return (raw && read(raw)) ?? { error: 'This version of the program “redline” cannot set up a model. Install a newer one.' };
}

/** Also reads the names of earlier programs: base_url, needs_key and asks_base_url. */
export function readProviders(raw: Raw): Provider[] | undefined {
	const list = raw['providers'];
	return Array.isArray(list) ? (list as Raw[]).filter((p) => text(p['id']) !== '').map((p) => ({
		id: text(p['id']), name: text(p['name']) || text(p['id']), baseUrl: text(p['baseUrl'] ?? p['base_url']), variable: text(p['variable']),
		needsKey: (p['needsKey'] ?? p['needs_key']) === true, asksBaseUrl: (p['asksBaseUrl'] ?? p['asks_base_url']) === true, local: p['local'] === true, found: p['found'] === true,
	})) : undefined;
}

export function readModels(raw: Raw): string[] | undefined {
	const list = raw['models'];
	return Array.isArray(list) ? (list as unknown[]).filter((name): name is string => typeof name === 'string' && name !== '') : undefined;
}

export function readTested(raw: Raw): Tested | undefined {
	return typeof raw['ok'] !== 'boolean' ? undefined : { // ok is false if there are warnings
		answer: text(raw['answer']), tools: raw['tools'] === true, streaming: raw['streaming'] === true,
		context: typeof raw['context'] === 'number' ? raw['context'] : 0,
		warnings: Array.isArray(raw['warnings']) ? (raw['warnings'] as unknown[]).filter((w): w is string => typeof w === 'string') : [],
	};
}

/** The environment variable with the address of an endpoint of no known provider. */
export const addressVariable = 'OPENAI_BASE_URL';

/** Reports whether a provider is the built-in model, which has no address. */
export const isBuiltin = (p: Provider): boolean => p.local && p.baseUrl === '' && !p.asksBaseUrl;

/** Sorts providers: those found on this machine first, otherwise in the program's order. */
export const foundFirst = (providers: Provider[]): Provider[] => [...providers.filter((p) => p.found), ...providers.filter((p) => !p.found)];

/** Returns why a provider counts as found, or what it needs. */
export function about(p: Provider): string {
	if (isBuiltin(p)) {
		return 'no key, no network';
	}
	if (p.found) {
		return p.local ? `answers at ${p.baseUrl}` : `${p.needsKey ? p.variable : addressVariable} is set`;
	}
	return p.local ? 'on this machine' : p.asksBaseUrl ? 'at an address that you enter' : 'needs a key';
}

/** The steps of the setup, in order. */
export type Step = 'provider' | 'address' | 'key' | 'model';

export const stepsOf = (p: Provider): Step[] => isBuiltin(p) ? ['provider'] :
	['provider', ...(p.asksBaseUrl ? (['address'] as const) : []), ...(p.local ? [] : (['key'] as const)), 'model'];

/** Returns what is wrong with a base URL, or undefined. */
export function wrongAddress(address: string): string | undefined {
	try {
		const { protocol, hostname } = new URL(address.trim());
		if ((protocol === 'https:' || protocol === 'http:') && hostname !== '') {
			return undefined;
		}
	} catch {
		// reported below
	}
	return 'Enter an address that begins with https:// or http://, such as https://api.example.com/v1.';
}

/** Reports whether a key would be sent unencrypted over the network. */
export function isPlain(address: string): boolean {
	try {
		const { protocol, hostname } = new URL(address.trim());
		return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
	} catch {
		return false;
	}
}

/** Returns what is wrong with a key, or undefined. */
export function wrongKey(key: string, needed: boolean): string | undefined {
	if (key.trim() === '') {
		return needed ? 'Paste the key here.' : undefined;
	}
	return /\s/.test(key.trim()) ? 'A key has no spaces. Paste only the key.' : undefined;
}

/** Returns a number of tokens in short: 128k. */
export function tokens(count: number): string {
	const thousand = count % 4096 === 0 ? 1024 : 1000;
	const thousands = Math.round(count / thousand);
	return count < 1000 ? String(count) : thousands < thousand ? `${thousands}k` : `${Number((thousands / thousand).toFixed(1))}M`;
}

/** Returns the result of a test in words. took is in milliseconds. */
export function resultOf(model: string, tested: Tested, took: number): string {
	const known = tested.warnings.length > 0; // the warnings say what is missing and what to do
	return [
		`${model} ${tested.answer === '' ? 'sent an empty answer after' : 'answered in'} ${(took / 1000).toFixed(1)} s.`,
		...(tested.tools ? ['Tools work.'] : known ? [] : ['It cannot call tools: it writes its edits as text, which fails more often.']),
		...(tested.streaming || known ? [] : ['Its answers are not streamed.']),
		...(tested.context > 0 ? [`Context: ${tokens(tested.context)}.`] : []),
		...tested.warnings,
	].join(' ');
}

/** Returns the environment of a server for the chosen model. An empty key is left out. */
export function environmentOf(chosen: Chosen, key: string): Record<string, string> {
	if (chosen.provider === '' && chosen.name === '' && chosen.baseUrl === '') {
		return {};
	}
	const all = { REDLINE_PROVIDER: chosen.provider, REDLINE_MODEL: chosen.name, REDLINE_BASE_URL: chosen.baseUrl, [keyVariable]: key };
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Removes a key from a text that is shown or logged. */
export const without = (key: string, said: string): string => (key === '' ? said : said.replaceAll(key, '…'));

/** Removes the advice to set a variable from an error: in the setup, the user goes a step back instead. */
export const withoutVariable = (error: string): string => error.replace(/: (check|set) [A-Z_]{2,}.*$/s, '.');

const signs = [
	/^The model provider at .* (wants a key|refused the key|does not allow this request|does not know the model|cannot be reached|answered with a web page)/s,
	/^The base URL of the model provider is not /,
	/^I am Redline's built-in model\./,
];

/** Reports whether an error or an answer is about the model or its key, so that setting one up helps. */
export const wantsSetup = (said: string): boolean => signs.some((sign) => sign.test(said.replace(/^Redline: /, '')));
