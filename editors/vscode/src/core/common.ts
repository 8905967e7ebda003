/** The largest table, in cells. Of larger lists only the common start and end are compared. */
const most = 250_000;

/** Returns the longest common subsequence of two lists, as pairs of indices. */
export function common(a: readonly string[], b: readonly string[]): [number, number][] {
	const pairs: [number, number][] = [];
	let start = 0, ends = 0;
	while (start < a.length && start < b.length && a[start] === b[start]) {
		pairs.push([start, start++]);
	}
	while (ends < a.length - start && ends < b.length - start && a[a.length - 1 - ends] === b[b.length - 1 - ends]) {
		ends++;
	}
	const n = a.length - start - ends, m = b.length - start - ends;
	if (n * m <= most) {
		const width = m + 1, table = new Uint32Array((n + 1) * width);
		const cell = (i: number, j: number) => table[i * width + j] ?? 0;
		for (let i = n - 1; i >= 0; i--) {
			for (let j = m - 1; j >= 0; j--) {
				table[i * width + j] = a[start + i] === b[start + j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
			}
		}
		for (let i = 0, j = 0; i < n && j < m;) {
			if (a[start + i] === b[start + j]) {
				pairs.push([start + i++, start + j++]);
			} else if (cell(i + 1, j) >= cell(i, j + 1)) {
				i++;
			} else {
				j++;
			}
		}
	}
	for (let k = ends; k > 0; k--) {
		pairs.push([a.length - k, b.length - k]);
	}
	return pairs;
}
