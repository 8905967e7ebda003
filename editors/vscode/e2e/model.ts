import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A piece of a reply: text, a thought, a tool call, or a wait for the test; as the first one, a status that fails the request. */
export type Piece = { text: string } | { think: string } | { fail: number } | { tool: string; arguments: object } | { wait: Promise<void> };

/** The last message that is not from the model, and the whole request. */
export interface Said {
	role: string;
	content: string;
	all: string;
	/** The requested model, and the header with the key. */
	model: string;
	authorization: string;
}

/** The required key, and the models that the provider lists. */
interface Wants {
	key?: string;
	models?: string[];
}

/** A scripted model on loopback that speaks the protocol of real ones. */
export class Model {
	private constructor(private readonly server: Server, readonly url: string) {}

	/** Starts one. It chooses a reply by the last message that is not from the model. */
	static async start(reply: (last: Said) => Piece[], wants: Wants = {}): Promise<Model> {
		const server = createServer((request, response) => {
			if (wants.key !== undefined && request.headers.authorization !== `Bearer ${wants.key}`) {
				response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no such key"}}');
			} else if (request.url !== '/v1/chat/completions' && request.url !== '/v1/models') { // probes for other kinds of servers
				response.writeHead(404).end();
			} else if (request.method === 'GET') {
				response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data: (wants.models ?? []).map((id) => ({ id, object: 'model', max_model_len: 131072 })) }));
			} else {
				void answer(request, response, reply);
			}
		});
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		return new Model(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
	}

	stop(): void {
		this.server.closeAllConnections();
		this.server.close();
	}
}

async function answer(request: IncomingMessage, response: ServerResponse, reply: Parameters<typeof Model.start>[0]): Promise<void> {
	const parts: Buffer[] = [];
	for await (const part of request) {
		parts.push(part as Buffer);
	}
	const { messages, model } = JSON.parse(Buffer.concat(parts).toString()) as { model: string; messages: { role: string; content: unknown }[] };
	const last = messages[messages.length - 1];
	const pieces = reply({ role: last?.role ?? '', content: JSON.stringify(last?.content ?? ''), all: JSON.stringify(messages), model, authorization: request.headers.authorization ?? '' });
	if (pieces[0] && 'fail' in pieces[0]) {
		response.writeHead(pieces[0].fail, { 'content-type': 'application/json' }).end('{"error":{"message":"come back later"}}');
		return;
	}
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.flushHeaders();
	const send = (delta: object, finish: string | null = null) =>
		response.write(`data: ${JSON.stringify({ id: 'r', object: 'chat.completion.chunk', model: 'scripted', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
	let finish = 'stop', calls = 0;
	for (const piece of pieces) {
		if ('text' in piece) {
			send({ role: 'assistant', content: piece.text });
		} else if ('think' in piece) {
			send({ role: 'assistant', reasoning_content: piece.think });
		} else if ('tool' in piece) {
			finish = 'tool_calls';
			send({ role: 'assistant', tool_calls: [{ index: calls, id: `call${++calls}`, type: 'function', function: { name: piece.tool, arguments: JSON.stringify(piece.arguments) } }] });
		} else if ('wait' in piece) {
			await piece.wait;
		}
	}
	send({}, finish);
	response.end('data: [DONE]\n\n');
}
