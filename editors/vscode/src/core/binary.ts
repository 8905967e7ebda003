/** Finding the server's program: the setting, else PATH, else the one that came with the extension. */

export interface Machine {
	platform: string;
	home: string;
	path: string;
	/** Where the extension is installed. */
	extension: string;
	/** Tells whether there is a program that can be run. */
	runs(file: string): boolean;
}

export type Found = { program: string; from: 'setting' | 'PATH' | 'extension' } | { problem: string };

/**
 * Says which program to start. A setting that names nothing is an error and not passed over: the user meant it.
 * Relative folders of PATH do not count, since a workspace could put a program into them.
 */
export function findServer(setting: string, machine: Machine): Found {
	const windows = machine.platform === 'win32';
	const name = windows ? 'redline.exe' : 'redline';
	const join = (dir: string) => dir.replace(/[/\\]+$/, '') + (windows ? '\\' : '/') + name;
	const wanted = setting.trim();
	if (wanted !== '') {
		const program = wanted.startsWith('~/') ? machine.home + wanted.slice(1) : wanted;
		if (!isAbsolute(program, windows)) {
			return { problem: `The setting redline.server.path must be an absolute path, not “${wanted}”.` };
		}
		if (!machine.runs(program)) {
			return { problem: `The setting redline.server.path names “${wanted}”, which is not a program.` };
		}
		return { program, from: 'setting' };
	}
	for (const dir of machine.path.split(windows ? ';' : ':')) {
		if (isAbsolute(dir, windows) && machine.runs(join(dir))) {
			return { program: join(dir), from: 'PATH' };
		}
	}
	const own = join(machine.extension + (windows ? '\\server' : '/server'));
	if (machine.runs(own)) {
		return { program: own, from: 'extension' };
	}
	return { problem: 'The program “redline” was not found on PATH. Choose where it is, or install it and restart the editor.' };
}

function isAbsolute(path: string, windows: boolean): boolean {
	return windows ? /^([a-zA-Z]:[/\\]|\\\\)/.test(path) : path.startsWith('/');
}
