import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions, type Middleware, State, TransportKind } from 'vscode-languageclient/node';
import type { LogOutputChannel } from 'vscode';

/** What to do about a connection that has ended: start another, or leave it. */
export type AfterEnd = 'restart' | 'stay';

/** The states of a client that matter here. */
export type ClientState = 'starting' | 'running' | 'stopped';

/**
 * Makes the client of a server that is a program. `initialized` is called for each connection when the library's own
 * features are there: they register their handlers later than the client's state tells that it runs. The function has a
 * module of its own, which is loaded when the server is to be started: the library behind it is most of what there is
 * to load.
 */
export function makeClient(program: string, environment: Record<string, string>, log: LogOutputChannel, middleware: Middleware, ended: () => AfterEnd, initialized: (client: LanguageClient) => void): LanguageClient {
	const options: LanguageClientOptions = {
		documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
		outputChannel: log,
		middleware,
		diagnosticCollectionName: 'redline',
		errorHandler: {
			error: () => ({ action: ErrorAction.Continue, handled: true }),
			closed: () => ({ action: ended() === 'restart' ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true, message: 'The server ended unexpectedly.' }),
		},
		initializationFailedHandler: () => false,
	};
	const env = { ...process.env, ...environment };
	const client = new LanguageClient('redline', 'Redline', { command: program, args: ['serve'], transport: TransportKind.stdio, options: { env } }, options);
	client.registerFeature({
		fillClientCapabilities: (capabilities) => {
			capabilities.experimental = { ...(capabilities.experimental as object | undefined), redline: { events: true, diffModes: true } };
		},
		initialize: () => initialized(client), // features are initialized in the order in which they were registered
		getState: () => ({ kind: 'static' }),
		clear: () => undefined,
	});
	return client;
}

/** Tells the client's states from now on. */
export function follow(client: LanguageClient, state: (now: ClientState) => void): void {
	client.onDidChangeState(({ newState }) => state(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped'));
}
