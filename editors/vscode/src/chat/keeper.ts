import type * as vscode from 'vscode';
import { fromKept, toKeep } from '../core/keep';
import type { Change, Entry, Transcript } from '../core/transcript';

const key = 'redline.conversation';
const openedKey = 'redline.chatOpened';

/** Keeps the chat over the end of its window, in what the editor keeps for the workspace. */
export class Keeper implements vscode.Disposable {
	/** The conversation that the chat view is about, undefined before the first message. */
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

	/** A request in this workspace has opened the chat, in this window or an earlier one. */
	get opened(): boolean {
		return this.memento.get(openedKey, false);
	}

	set opened(opened: boolean) {
		void this.memento.update(openedKey, opened);
	}

	/** What is still being written is kept when it is done. */
	private note(change: Change): void {
		if (change.type === 'all' || (change.type === 'entry' && !isBeingWritten(change.entry))) {
			this.write();
		}
	}

	private write(): void {
		void this.memento.update(key, toKeep(this.transcript.all(), this.current));
	}
}

const isBeingWritten = (entry: Entry): boolean => entry.kind === 'turn' && entry.state === 'running' && entry.doing + entry.answer + entry.output !== '';
