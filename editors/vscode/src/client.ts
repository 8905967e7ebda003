import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions, type Middleware, State, TransportKind } from 'vscode-languageclient/node';
import type { LogOutputChannel } from 'vscode';

/** What to do when a connection has ended: start another, or not. */
export type AfterEnd = 'restart' | 'stay';

/** The states of a client that matter here. */
export type ClientState = 'starting' | 'running' | 'stopped';

/**
 * Makes a client for a server program. It calls `initialized` for each connection once the library's own features are
 * initialized: they register their handlers only after the client's state is running. This module is loaded when the
 * server starts, because the library is most of the code to load.
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

/** Calls state with each new state of the client. */
export function follow(client: LanguageClient, state: (now: ClientState) => void): void {
	client.onDidChangeState(({ newState }) => state(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped'));
}
