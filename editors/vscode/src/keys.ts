import type * as vscode from 'vscode';

/** Stores one API key for each provider in the editor's secret storage. */
export class Keys {
	constructor(private readonly secrets: vscode.SecretStorage) {}

	private name = (provider: string): string => `redline.key.${provider}`;

	/** Returns the key of a provider, empty if none is stored. */
	async of(provider: string): Promise<string> {
		return provider === '' ? '' : ((await this.secrets.get(this.name(provider))) ?? '');
	}

	/** Stores the key of a provider; an empty one removes it. */
	async set(provider: string, key: string): Promise<void> {
		await (key === '' ? this.secrets.delete(this.name(provider)) : this.secrets.store(this.name(provider), key));
	}

	/** Calls changed when the key of a provider changes, in any window. */
	onChange(changed: (provider: string) => void): vscode.Disposable {
		return this.secrets.onDidChange(({ key }) => (key.startsWith('redline.key.') ? changed(key.slice('redline.key.'.length)) : undefined));
	}
}
