// Stands between the editor and the server: writes down the method of each message, and kills the server where a test
// has said so.
//   node relay.mjs NAME PROGRAM ARGUMENT…     NAME.messages, NAME.pid and NAME.kill are its files
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';

const [name, program, ...words] = process.argv.slice(2);
const server = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
writeFileSync(`${name}.pid`, String(server.pid));

/** Calls back with each message, as it came and read. */
function messages(stream, take) {
	let rest = Buffer.alloc(0);
	stream.on('data', (part) => {
		rest = Buffer.concat([rest, part]);
		for (;;) {
			const head = rest.indexOf('\r\n\r\n');
			const length = head < 0 ? NaN : Number(/Content-Length: *(\d+)/i.exec(rest.subarray(0, head))?.[1]);
			if (!(rest.length >= head + 4 + length)) {
				return;
			}
			const end = head + 4 + length;
			take(rest.subarray(0, end), JSON.parse(rest.subarray(head + 4, end)));
			rest = rest.subarray(end);
		}
	});
}

const applying = new Set();
messages(server.stdout, (bytes, message) => {
	appendFileSync(`${name}.messages`, `< ${message.method ?? 'answer'}\n`);
	if (message.method === 'workspace/applyEdit') {
		applying.add(message.id);
	}
	process.stdout.write(bytes);
});
messages(process.stdin, (bytes, message) => {
	appendFileSync(`${name}.messages`, `> ${message.method ?? 'answer'}\n`);
	if (message.method === undefined && applying.delete(message.id) && existsSync(`${name}.kill`)) {
		rmSync(`${name}.kill`); // the edit is in the editor, and the server never hears of it
		server.kill('SIGKILL');
		return;
	}
	server.stdin.write(bytes);
});
process.stdin.on('end', () => server.stdin.end());
server.stdin.on('error', () => undefined);
process.stdout.on('error', () => undefined);
server.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
process.on('SIGTERM', () => server.kill());
