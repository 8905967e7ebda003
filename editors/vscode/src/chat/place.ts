import * as path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../core/emitter';

/** A file in the editor, with the selection if there is one: what a message of the chat is about. */
export interface Place {
	document: vscode.Uri;
	/** The selection; undefined for the file. */
	selection: vscode.Range | undefined;
	/** “a.go”, “a.go:3–9” */
	label: string;
	/** The path in the workspace. */
	path: string;
}

/** Follows the place in the editor in front: looks when another editor is in front, and when asked to. */
export class PlaceInEditor implements vscode.Disposable {
	readonly changed = new Emitter<void>();
	private label = '';
	private readonly following = vscode.window.onDidChangeActiveTextEditor(() => this.look());

	dispose(): void {
		this.following.dispose();
	}

	/** Returns the place now; undefined if no file of the workspace is in front, or only one of Redline's own. */
	now(): Place | undefined {
		const editor = vscode.window.activeTextEditor;
		const document = editor?.document.uri;
		if (!editor || document?.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(document) || /[/\\]\.redline[/\\]/.test(document.fsPath)) {
			return undefined;
		}
		const { selection } = editor, name = path.basename(document.fsPath);
		const first = selection.start.line + 1, last = selection.end.line + (selection.end.character > 0 || selection.isSingleLine ? 1 : 0);
		return {
			document, selection: selection.isEmpty ? undefined : selection, path: vscode.workspace.asRelativePath(document),
			label: selection.isEmpty ? name : `${name}:${first === last ? first : `${first}–${last}`}`,
		};
	}

	/** Looks where the selection is now. */
	look(): void {
		const place = this.now(), label = place === undefined ? '' : `${place.path} ${place.label}`;
		if (label !== this.label) {
			this.label = label;
			this.changed.fire();
		}
	}
}
