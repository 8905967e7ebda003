import * as vscode from 'vscode';
import { Emitter } from '../core/emitter';
import { inOrder, type Place } from '../core/walk';
import type { Board } from '../core/board';

/** A proposed change with its place in the live text. */
export interface Marked extends Place {
	range: vscode.Range;
	stale: boolean;
}

/**
 * Holds the places of the proposed changes. The server publishes them as diagnostics, again whenever they move, so that
 * nothing is computed here while the user types.
 */
export class Places {
	readonly changed = new Emitter<vscode.Uri>();
	private readonly byUri = new Map<string, Marked[]>();

	constructor(private readonly board: Board) {}

	/** Takes the places from a document's diagnostics, and returns the diagnostics to show as such. */
	take(uri: vscode.Uri, diagnostics: vscode.Diagnostic[]): vscode.Diagnostic[] {
		const marked: Marked[] = [];
		const rest: vscode.Diagnostic[] = [];
		for (const diagnostic of diagnostics) {
			const place = asPlace(uri, diagnostic);
			if (place) {
				marked.push(place);
			}
			if (!place || place.stale) {
				rest.push(diagnostic);
			}
		}
		const before = this.byUri.get(uri.toString());
		if (marked.length > 0 || before) {
			if (marked.length > 0) {
				this.byUri.set(uri.toString(), marked);
			} else {
				this.byUri.delete(uri.toString());
			}
			this.changed.fire(uri);
		}
		return rest;
	}

	clear(): void {
		const all = [...this.byUri.keys()];
		this.byUri.clear();
		for (const uri of all) {
			this.changed.fire(vscode.Uri.parse(uri));
		}
	}

	in(uri: vscode.Uri): Marked[] {
		return this.byUri.get(uri.toString()) ?? [];
	}

	/** Returns all places, in the order of the plans' files. */
	all(): Marked[] {
		const files = this.board.plans().flatMap((plan) => plan.files.map((file) => vscode.Uri.parse(file.uri).toString()));
		return inOrder([...this.byUri.values()].flat(), files) as Marked[];
	}
}

const code = /^(\d+)\.(h\d+)$/;

function asPlace(uri: vscode.Uri, d: vscode.Diagnostic): Marked | undefined {
	const value = typeof d.code === 'object' ? d.code.value : d.code;
	const match = d.source === 'redline' ? code.exec(String(value)) : null;
	if (!match?.[1] || !match[2]) {
		return undefined;
	}
	const { start, end } = d.range;
	const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
	return {
		uri: uri.toString(), plan: Number(match[1]), hunk: match[2], line: start.line, last, range: d.range,
		stale: d.severity === vscode.DiagnosticSeverity.Warning,
	};
}

/** Shows a file with the cursor at a line. */
export async function showAt(uri: vscode.Uri, line: number): Promise<void> {
	const at = new vscode.Range(line, 0, line, 0);
	const shown = await vscode.window.showTextDocument(uri, { selection: at });
	shown.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
