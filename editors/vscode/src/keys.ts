import type * as vscode from 'vscode';

/** The keys of providers, in the editor's secret storage: one each. */
export class Keys {
	constructor(private readonly secrets: vscode.SecretStorage) {}

	private name = (provider: string): string => `redline.key.${provider}`;

	/** The key of a provider, empty if none is stored. */
	async of(provider: string): Promise<string> {
		return provider === '' ? '' : ((await this.secrets.get(this.name(provider))) ?? '');
	}

	/** Stores the key of a provider; an empty one removes it. */
	async set(provider: string, key: string): Promise<void> {
		await (key === '' ? this.secrets.delete(this.name(provider)) : this.secrets.store(this.name(provider), key));
	}

	/** Calls back when the key of a provider has changed, in any window. */
	onChange(changed: (provider: string) => void): vscode.Disposable {
		return this.secrets.onDidChange(({ key }) => (key.startsWith('redline.key.') ? changed(key.slice('redline.key.'.length)) : undefined));
	}
}
