import * as vscode from 'vscode';
import type { Context } from '../context';
import { asking } from './asking';
import type { Commands } from './commands';
import { deciding } from './deciding';
import { looking } from './looking';
import { moving } from './moving';
import { revising } from './revising';
import { serving } from './serving';
import { settingUp } from './setup';
import { trying } from './trying';

/** Registers every command. Their names begin with redline.ui., because the server's own begin with redline. */
export function registerCommands(context: Context): vscode.Disposable {
	const all: Commands = { ...asking(context), ...deciding(context), ...looking(context), ...moving(context), ...revising(context), ...serving(context), ...settingUp(context), ...trying(context) };
	return vscode.Disposable.from(...Object.entries(all).map(([name, run]) => vscode.commands.registerCommand(`redline.ui.${name}`, run)));
}
