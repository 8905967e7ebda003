/** Says if the server's program is too old for the extension, and how to upgrade it. */

/** How to upgrade a program: with a command, or as a page says. Without either, nothing is known about its origin. */
export interface Upgrade {
	command?: string;
	page?: string;
}

/**
 * Reports whether a version is lower than the needed one, such as ">=1.2.0". It compares the three numbers only. A build
 * from a checkout, such as "1.2.0-dev", is never too old; nor is a version without three numbers.
 */
export function isTooOld(version: string, needed: string): boolean {
	const has = numbers(version), least = numbers(needed);
	if (!has || !least || /-dev\b/.test(version)) {
		return false;
	}
	const i = has.findIndex((n, at) => n !== least[at]);
	return i >= 0 && (has[i] ?? 0) < (least[i] ?? 0);
}

function numbers(version: string): number[] | undefined {
	return /^\D*(\d+)\.(\d+)\.(\d+)(?!\d)/.exec(version)?.slice(1).map(Number);
}

/** The folders in which package managers keep a program, with the command that upgrades it. $1 is the package. */
const managers: [RegExp, string][] = [
	[/[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/, 'npm install -g $1@latest'],
	[/[/\\]Cellar[/\\]([^/\\]+)[/\\]/, 'brew upgrade $1'],
	[/[/\\]scoop[/\\](?:shims|apps)[/\\]([^/\\.]+)/, 'scoop update $1'],
	[/[/\\]pipx[/\\]venvs[/\\]([^/\\]+)[/\\]/, 'pipx upgrade $1'],
	[/[/\\]uv[/\\]tools[/\\]([^/\\]+)[/\\]/, 'uv tool upgrade $1'],
	[/^\/nix\/store\/\w+-(redline)/, 'nix profile upgrade $1'],
];

/** Returns how to upgrade a program, by its path without symbolic links. The page is for what no package manager has. */
export function upgradeOf(program: string, page: string | undefined): Upgrade {
	for (const [folder, command] of managers) {
		const [, name] = folder.exec(program) ?? [];
		if (name !== undefined && /^[\w@/\\-]+$/.test(name)) { // the user may paste it into a shell
			return { command: command.replace('$1', name.replace('\\', '/')) };
		}
	}
	return page ? { page } : {};
}

/** Returns the message for the user. */
export function tooOld(version: string, needed: string, upgrade: Upgrade): string {
	const how = upgrade.command ? `Upgrade it with \`${upgrade.command}\`.` : upgrade.page ? `Upgrade it as ${upgrade.page} says.` : 'Upgrade it the way you installed it.';
	return `Redline ${version} is too old for this extension, which needs ${needed.replace('>=', '')} or later. ${how}`;
}
