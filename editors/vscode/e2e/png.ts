import { deflateSync, inflateSync } from 'node:zlib';

/** Shrinks a picture of a screen to the 256 most frequent colours; every other becomes the nearest of them. */
export function small(png: Buffer): Buffer {
	const { width, height, channels, pixels } = read(png);
	const counts = new Map<number, number>();
	const colours = new Uint32Array(width * height);
	for (let i = 0; i < colours.length; i++) {
		const at = i * channels;
		const colour = ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
		colours[i] = colour;
		counts.set(colour, (counts.get(colour) ?? 0) + 1);
	}
	const palette = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 256).map(([colour]) => colour);
	const index = new Map<number, number>();
	for (const colour of counts.keys()) {
		index.set(colour, nearest(palette, colour));
	}
	const rows = Buffer.alloc((width + 1) * height); // each begins with its filter, which is none
	for (let i = 0; i < colours.length; i++) {
		rows[i + Math.floor(i / width) + 1] = index.get(colours[i] ?? 0) ?? 0;
	}
	const head = Buffer.from(png.subarray(16, 29));
	head[9] = 3; // a palette
	return Buffer.concat([
		png.subarray(0, 8), chunk('IHDR', head), chunk('PLTE', Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]))),
		chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0)),
	]);
}

function nearest(palette: number[], colour: number): number {
	let best = 0, least = Infinity;
	palette.forEach((other, i) => {
		const far = [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
		if (far < least) {
			[best, least] = [i, far];
		}
	});
	return best;
}

/** Reads the pixels of a PNG of 8 bits a channel, without a palette. */
export function read(png: Buffer): { width: number; height: number; channels: number; pixels: Buffer } {
	const width = png.readUInt32BE(16), height = png.readUInt32BE(20), channels = png[25] === 6 ? 4 : 3;
	const parts: Buffer[] = [];
	for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
		if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
			parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
		}
	}
	const raw = inflateSync(Buffer.concat(parts)), line = width * channels;
	const pixels = Buffer.alloc(line * height);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (line + 1)];
		for (let x = 0; x < line; x++) {
			const left = x < channels ? 0 : (pixels[y * line + x - channels] ?? 0), up = y === 0 ? 0 : (pixels[(y - 1) * line + x] ?? 0);
			const corner = x < channels || y === 0 ? 0 : (pixels[(y - 1) * line + x - channels] ?? 0);
			const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
			pixels[y * line + x] = (raw[y * (line + 1) + 1 + x] ?? 0) + guess;
		}
	}
	return { width, height, channels, pixels };
}

function paeth(left: number, up: number, corner: number): number {
	const guess = left + up - corner;
	const a = Math.abs(guess - left), b = Math.abs(guess - up), c = Math.abs(guess - corner);
	return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(kind: string, data: Buffer): Buffer {
	const made = Buffer.alloc(data.length + 12);
	made.writeUInt32BE(data.length, 0);
	made.write(kind, 4, 'latin1');
	data.copy(made, 8);
	made.writeUInt32BE(crc(made.subarray(4, data.length + 8)), data.length + 8);
	return made;
}

function crc(data: Buffer): number {
	let sum = ~0;
	for (const byte of data) {
		sum ^= byte;
		for (let bit = 0; bit < 8; bit++) {
			sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
		}
	}
	return ~sum >>> 0;
}
