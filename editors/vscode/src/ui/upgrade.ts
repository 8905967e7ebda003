import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { isTooOld, tooOld, upgradeOf } from '../core/upgrade';
import type { Server } from '../server';
import { kind, say } from './say';

/** Warns about a program that is too old for the extension, once a window for each version. */
export class Versions {
	private readonly warned = new Set<string>();
	private readonly needed: string;
	private readonly page: string | undefined;

	/** The manifest is the extension's package.json: redlineServer is the version that it needs, homepage the page about it. */
	constructor(manifest: unknown, private readonly server: Server) {
		const { redlineServer = '', homepage } = manifest as { redlineServer?: string; homepage?: string };
		this.needed = redlineServer;
		this.page = homepage;
	}

	/** Checks the version that a server names when it starts. */
	async check(version: string): Promise<void> {
		if (!isTooOld(version, this.needed) || this.warned.has(version)) {
			return;
		}
		this.warned.add(version);
		const found = this.server.find();
		const upgrade = upgradeOf('program' in found ? resolved(found.program) : '', this.page);
		const message = tooOld(version, this.needed, upgrade);
		this.server.log.warn(message);
		const copy = 'Copy Command', open = 'Open Page', choose = 'Choose Another Program…';
		const chosen = await say(kind.warning, message, ...(upgrade.command ? [copy] : upgrade.page ? [open] : []), choose);
		if (chosen === copy) {
			await vscode.env.clipboard.writeText(upgrade.command ?? '');
		} else if (chosen === open) {
			await vscode.env.openExternal(vscode.Uri.parse(upgrade.page ?? ''));
		} else if (chosen === choose) {
			await this.server.choose();
		}
	}
}

/** Returns a path without symbolic links, which tells which package manager a program is from. */
function resolved(program: string): string {
	try {
		return fs.realpathSync(program);
	} catch {
		return program;
	}
}
