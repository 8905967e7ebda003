import type * as vscode from 'vscode';
import { fromKept, toKeep } from '../core/keep';
import type { Change, Entry, Transcript } from '../core/transcript';

const key = 'redline.conversation';
const openedKey = 'redline.chatOpened';
const workerKey = 'redline.worker';

/** Keeps the chat in the editor's workspace storage, so that it survives its window. */
export class Keeper implements vscode.Disposable {
	/** The conversation of the chat view, undefined before the first message. */
	private current: string | undefined;
	private readonly stop: () => void;

	constructor(private readonly memento: vscode.Memento, private readonly transcript: Transcript) {
		const kept = fromKept(memento.get(key));
		this.current = kept.conversation;
		transcript.restore(kept.entries);
		this.stop = transcript.changed.listen((change) => this.note(change));
	}

	dispose(): void {
		this.stop();
	}

	get conversation(): string | undefined {
		return this.current;
	}

	set conversation(id: string | undefined) {
		if (this.current !== id) {
			this.current = id;
			this.write();
		}
	}

	/** Whether a request has opened the chat in this workspace, in this window or an earlier one. */
	get opened(): boolean {
		return this.memento.get(openedKey, false);
	}

	set opened(opened: boolean) {
		void this.memento.update(openedKey, opened);
	}

	/** Who does the work here by the user's last choice, as in `/with`; undefined before the first. */
	get worker(): string | undefined {
		const kept = this.memento.get<unknown>(workerKey);
		return typeof kept === 'string' ? kept : undefined;
	}

	set worker(name: string | undefined) {
		void this.memento.update(workerKey, name);
	}

	/** Stores the chat, except while an answer is streaming. */
	private note(change: Change): void {
		if (change.type === 'all' || (change.type === 'entry' && !isBeingWritten(change.entry))) {
			this.write();
		}
	}

	private write(): void {
		void this.memento.update(key, toKeep(this.transcript.all(), this.current));
	}
}

const isBeingWritten = (entry: Entry): boolean => entry.kind === 'turn' && entry.state === 'running' && (entry.doing + entry.answer + entry.output !== '' || entry.steps.length > 0);
