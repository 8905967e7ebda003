/**
 * Finds the server's program: by the setting, in the extension, on PATH, then where Go, Homebrew and Scoop install
 * programs. The program in the extension goes first because it has the extension's version. An editor that was started
 * from a menu often has a PATH without the usual folders.
 */

export interface Machine {
	platform: string;
	home: string;
	path: string;
	/** The variables GOBIN and GOPATH, empty if they are not set. */
	goBin?: string;
	goPath?: string;
	/** Where the extension is installed. */
	extension: string;
	/** Reports whether the file is an executable program. */
	runs(file: string): boolean;
}

export type Found = { program: string; from: 'setting' | 'PATH' | 'folder' | 'extension' } | { problem: string };

/**
 * Returns the program to start. A setting that names no program is an error: the user meant it. Relative folders of PATH
 * are ignored, because a workspace could put a program into them.
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
	const own = join(machine.extension + (windows ? '\\bin' : '/bin'));
	if (machine.runs(own)) {
		return { program: own, from: 'extension' };
	}
	for (const dir of machine.path.split(windows ? ';' : ':')) {
		if (isAbsolute(dir, windows) && machine.runs(join(dir))) {
			return { program: join(dir), from: 'PATH' };
		}
	}
	const folder = usualFolders(machine, windows).find((dir) => machine.runs(join(dir)));
	if (folder !== undefined) {
		return { program: join(folder), from: 'folder' };
	}
	return { problem: 'The program “redline” was not found on PATH or where Go, Homebrew and Scoop install programs. Choose its location, or install it and restart the editor.' };
}

/** Returns the usual folders of programs that are not on every PATH. */
function usualFolders({ home, goBin = '', goPath = '' }: Machine, windows: boolean): string[] {
	const below = (dir: string, ...names: string[]) => [dir.replace(/[/\\]+$/, ''), ...names].join(windows ? '\\' : '/');
	const ofGo = [goBin, ...goPath.split(windows ? ';' : ':').filter((dir) => dir !== '').map((dir) => below(dir, 'bin'))];
	const others = windows ? [below(home, 'scoop', 'shims')] : ['/opt/homebrew/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin'];
	return [...ofGo, below(home, 'go', 'bin'), below(home, '.local', 'bin'), ...others].filter((dir) => isAbsolute(dir, windows));
}

function isAbsolute(path: string, windows: boolean): boolean {
	return windows ? /^([a-zA-Z]:[/\\]|\\\\)/.test(path) : path.startsWith('/');
}
