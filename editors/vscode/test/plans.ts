import type { FileChange, Hunk, Plan } from '../src/protocol';

/** Plans for tests. */
export const hunk = (id: string, line: number, added: number, removed: number, status = 'pending'): Hunk => ({
	id, status, added, removed, range: { start: { line, character: 0 }, end: { line: line + removed, character: 0 } },
});

export const file = (path: string, hunks: Hunk[], more: Partial<FileChange> = {}): FileChange => ({
	path, uri: `file:///w/${path}`, action: 'update', status: 'pending', hunks,
	added: hunks.reduce((n, h) => n + h.added, 0), removed: hunks.reduce((n, h) => n + h.removed, 0), ...more,
});

export const plan = (number: number, files: FileChange[], more: Partial<Plan> = {}): Plan => ({
	plan: number, goal: 'do it', state: 'awaiting_approval', conversation: 'c', revision: 1, hash: 'sha256:0', description: '', commands: [], files,
	steps: [{ id: 's1', description: 'the step', status: 'pending', rationale: '', risk: '' }],
	operations: files.map((f, i) => ({ id: `o${i + 1}`, step: 's1', tool: 'edit_file', path: f.path, status: 'pending' })), ...more,
});
