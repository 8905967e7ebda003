// A server for the tests that answers as `redline review` does, and notes what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Answer, Decision, Row } from '../src/types';

export const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export class Mock {
	readonly asked: { method: string; path: string; body: unknown }[] = [];
	/** What to answer to a path instead, once. */
	readonly instead = new Map<string, [number, object]>();
	readonly token = 'T-0123456789';
	private readonly streams = new Set<ServerResponse>();
	private seq = 0;
	private readonly server = createServer((request, response) => void this.answer(request, response));

	constructor(public plan: Answer) {}

	async start(): Promise<this> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		return this;
	}

	get address(): string { return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`; }
	get opened(): string { return `${this.address}#token=${this.token}`; }

	/** How many pages listen. */
	get listening(): number { return this.streams.size; }

	/** Sends an event to each page. */
	send(kind: string, text?: string): void {
		this.seq++;
		for (const stream of this.streams) {
			stream.write(`${JSON.stringify({ seq: this.seq, kind, ...(text !== undefined && { text }) })}\n`);
		}
	}

	/** Changes the plan, and says so. */
	become(plan: Answer): void {
		this.plan = plan;
		this.send('plan');
	}

	/** Breaks the connections, and refuses new ones. */
	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** The last body that was sent to a path. */
	last(path: string): unknown {
		return this.asked.findLast((one) => one.path === path)?.body;
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '/', 'http://x');
		let text = '';
		for await (const part of request) {
			text += String(part);
		}
		const body: unknown = text === '' ? undefined : JSON.parse(text);
		this.asked.push({ method: request.method ?? '', path: url.pathname, body });
		const files: Record<string, [string, string]> = { '/': ['index.html', 'text/html'], '/page.js': ['page.js', 'text/javascript'], '/page.css': ['page.css', 'text/css'] };
		const asset = files[url.pathname];
		if (asset) {
			response.writeHead(200, { 'Content-Type': `${asset[1]}; charset=utf-8`, 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' }).end(readFileSync(`dist/${asset[0]}`));
			return;
		}
		const json = (status: number, value: object): void => void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
		const instead = this.instead.get(url.pathname);
		if (instead) {
			this.instead.delete(url.pathname);
			json(...instead);
		} else if (url.pathname === '/api/code') {
			const right = (body as { code: string }).code.replace(/[^a-z0-9]/gi, '').toUpperCase() === 'ABCDEFGH';
			json(right ? 200 : 403, right ? { token: this.token } : { error: 'That is not the code.', left: 4 });
		} else if (request.headers.authorization !== `Redline ${this.token}`) {
			json(401, { error: 'This tab has no token.' });
		} else {
			this.route(url, body, json, response);
		}
	}

	private route(url: URL, body: unknown, json: (status: number, value: object) => void, response: ServerResponse): void {
		const { plan } = this.plan;
		switch (url.pathname.replace(/^\/api\//, '').replace(/^comments\/.*/, 'uncomment')) {
		case 'plan': json(200, this.plan); break;
		case 'events':
			response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
			response.write(`${JSON.stringify({ seq: this.seq, kind: 'ping' })}\n`);
			this.streams.add(response);
			response.on('close', () => this.streams.delete(response));
			break;
		case 'context': {
			const from = Number(url.searchParams.get('from')), to = Math.min(Number(url.searchParams.get('to')), 120);
			json(200, { rows: Array.from({ length: to - from + 1 }, (_, i): Row => ({ k: 'same', old: from + i, new: from + i, text: `unfolded ${from + i}` })), lines: 120 });
			break;
		}
		case 'hunk': json(200, { text: '	return sum(items)\n' }); break;
		case 'preview-decision': {
			const { approve, reject, run } = body as Decision;
			json(200, { sentences: [`Applies ${approve.hunks.length} changes and ${approve.files.length} files on the disk.`, `Rejects ${reject.hunks.length}.`, ...run.map((id) => `Runs ${plan.commands?.find((one) => one.id === id)?.command ?? id}.`)] });
			break;
		}
		case 'decide': json(200, { way: 'disk', sentences: ['Applied 1 change in shop/prices.go.'], plan }); break;
		case 'undo': json(200, { way: 'disk', sentences: ['Undone.'], plan }); break;
		case 'comments': json(200, { id: `c${this.asked.length}` }); break;
		case 'close': json(200, { sentences: ['Nothing was decided.', 'Plan 3 waits for your approval.'] }); break;
		case 'uncomment': case 'seen': case 'edit': case 'rework': json(200, {}); break;
		default: json(404, { error: 'There is nothing here.' });
		}
	}
}
