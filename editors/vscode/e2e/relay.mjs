// Stands between the editor and the server: writes down the method of each message, and kills the server where a test
// has said so.
//   node relay.mjs NAME PROGRAM ARGUMENT…     NAME.messages, NAME.pid and NAME.kill are its files; where there is
// NAME.texts, the messages are written down there as they are
// REDLINE_LATE=MS keeps each message back by up to so long, in their order: what depends on how fast they are shows.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const late = Number(process.env.REDLINE_LATE ?? 0);
const [name, program, ...words] = process.argv.slice(2);
const server = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
writeFileSync(`${name}.pid`, String(server.pid));

/** Calls back with each message, as it came and read; resolves when the last of them was taken. */
async function messages(stream, take) {
	let rest = Buffer.alloc(0);
	let taken = Promise.resolve();
	const later = (bytes, message) => {
		taken = taken.then(() => setTimeout(Math.random() * late)).then(() => take(bytes, message));
	};
	stream.on('data', (part) => {
		rest = Buffer.concat([rest, part]);
		for (;;) {
			const head = rest.indexOf('\r\n\r\n');
			const length = head < 0 ? NaN : Number(/Content-Length: *(\d+)/i.exec(rest.subarray(0, head))?.[1]);
			if (!(rest.length >= head + 4 + length)) {
				return;
			}
			const end = head + 4 + length;
			(late > 0 ? later : take)(rest.subarray(0, end), JSON.parse(rest.subarray(head + 4, end)));
			rest = rest.subarray(end);
		}
	});
	await new Promise((resolve) => stream.on('end', resolve));
	await taken;
}

/** Writes a message down: > to the server, < from it. */
function note(way, bytes, message) {
	appendFileSync(`${name}.messages`, `${way} ${message.method ?? 'answer'}\n`);
	if (existsSync(`${name}.texts`)) {
		appendFileSync(`${name}.texts`, bytes);
	}
}

const applying = new Set();
const said = messages(server.stdout, (bytes, message) => {
	note('<', bytes, message);
	if (message.method === 'workspace/applyEdit') {
		applying.add(message.id);
	}
	process.stdout.write(bytes);
});
const heard = messages(process.stdin, (bytes, message) => {
	note('>', bytes, message);
	if (message.method === undefined && applying.delete(message.id) && existsSync(`${name}.kill`)) {
		rmSync(`${name}.kill`); // the edit is in the editor, and the server never hears of it
		server.kill('SIGKILL');
		return;
	}
	server.stdin.write(bytes);
});
void heard.then(() => server.stdin.end());
server.stdin.on('error', () => undefined);
process.stdout.on('error', () => undefined);
server.on('exit', (code, signal) => said.then(() => process.exit(code ?? (signal ? 1 : 0))));
process.on('SIGTERM', () => server.kill());
