import * as vscode from 'vscode';
import type { Context } from '../context';
import {
	about, addressVariable, type Answer, isBuiltin, foundFirst, isPlain, type Provider, readModels, readProviders, readTested, resultOf, type Step, stepsOf, type Tested, withoutVariable, wrongAddress, wrongKey,
} from '../core/setup';
import { askProgram, cancelled, type Subject } from '../program';
import { kind, say } from '../ui/say';
import { type Answered, back, pick, write } from '../ui/steps';
import type { Commands } from './commands';

const title = 'Redline: set up a model';

/** The pages where providers issue keys. */
const keyPages: Record<string, string> = {
	openai: 'https://platform.openai.com/api-keys', anthropic: 'https://console.anthropic.com/settings/keys',
	openrouter: 'https://openrouter.ai/settings/keys', azure: 'https://portal.azure.com',
};

/** Returns the commands that set up a model and remove its key. */
export function settingUp(context: Context): Commands {
	return {
		setup: () => new Setup(context).run(),
		removeKey: async () => {
			const { provider } = context.server.chosen();
			const known = await context.keys.of(provider);
			if (known === '') {
				void say(kind.info, 'Redline: no key is stored for the current model.');
				return;
			}
			await context.keys.set(provider, '');
			void say(kind.info, `Redline: removed the stored key for ${provider}. The key stays valid until you revoke it there.`);
		},
	};
}

interface Item extends vscode.QuickPickItem {
	value?: string;
}

/** One run of the setup, with the answers so far. */
class Setup {
	private program = '';
	private providers: Provider[] = [];
	private chosen: Provider | undefined;
	private address = '';
	private key = '';
	private model = '';

	constructor(private readonly context: Context) {}

	async run(): Promise<void> {
		const found = this.context.server.find();
		if ('problem' in found) {
			void this.context.server.tellMissing(found.problem);
			return;
		}
		this.program = found.program;
		const listed = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'Redline: looking for models…' },
			() => this.ask(['--providers'], false, readProviders));
		if ('error' in listed) {
			void say(kind.error, `Redline: ${listed.error}`);
			return;
		}
		this.providers = foundFirst(listed);
		let step: Step = 'provider';
		for (;;) {
			const answer = await this.answer(step);
			if (answer === undefined) {
				return;
			}
			const steps: Step[] = this.chosen ? stepsOf(this.chosen) : ['provider'];
			const next: Step | undefined = steps[steps.indexOf(step) + (answer === back ? -1 : 1)];
			if (next !== undefined) {
				step = next;
			} else if (await this.test()) {
				return;
			} else {
				step = steps.at(-1) ?? 'provider';
			}
		}
	}

	private answer(step: Step): Promise<Answered<unknown>> {
		switch (step) {
			case 'provider':
				return this.askProvider();
			case 'address':
				return this.askAddress();
			case 'key':
				return this.askKey();
			case 'model':
				return this.askModel();
		}
	}

	/** The name to show for the model. */
	private get name(): string {
		return this.model || (this.chosen?.name ?? '');
	}

	private place(step: Step, of = this.chosen) {
		const steps: Step[] = of ? stepsOf(of) : ['provider', 'key', 'model'];
		return { title: step === 'provider' || !of ? title : `${title} (${of.name})`, step: steps.indexOf(step) + 1, of: steps.length };
	}

	private async askProvider(): Promise<Answered<unknown>> {
		const before = this.chosen?.id ?? this.context.server.chosen().provider;
		const items = this.providers.map((p): Item => ({ label: p.name, description: about(p), value: p.id, iconPath: new vscode.ThemeIcon(p.found ? 'pass-filled' : isBuiltin(p) ? 'package' : p.local ? 'device-desktop' : 'cloud') }));
		const group = (label: string, some: Item[]): Item[] => (some.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...some] : []);
		const many = this.providers.filter((p) => p.found).length;
		const answer = await pick<Item>({
			...this.place('provider', this.providers.find((p) => p.id === before)), placeholder: 'Who runs the model?', current: (item) => item.value === before,
			items: many > 0 ? [...group('found on this machine', items.slice(0, many)), ...group('others', items.slice(many))] : items,
		});
		if (answer === undefined || answer === back) {
			return answer;
		}
		this.chosen = this.providers.find((p) => p.id === answer.value);
		if (before !== this.chosen?.id) {
			this.address = this.key = this.model = '';
		}
		return answer;
	}

	private async askAddress(): Promise<Answered<unknown>> {
		const known = this.context.server.chosen();
		const answer = await write({
			...this.place('address'), prompt: 'Base URL of its API. It usually ends in /v1.', placeholder: 'https://api.example.com/v1',
			value: this.address || (known.provider === this.chosen?.id ? known.baseUrl : '') || this.chosen?.baseUrl || this.usualAddress(), wrong: wrongAddress,
		});
		if (typeof answer === 'string') {
			this.address = answer;
		}
		return answer;
	}

	/** Returns the address from the environment for an endpoint of no known provider. */
	private usualAddress(): string {
		return this.chosen?.needsKey ? '' : ({ ...process.env, ...this.context.server.environment() }[addressVariable] ?? '');
	}

	/** Asks for the key; if one exists already, asks first which one to use. */
	private async askKey(): Promise<Answered<unknown>> {
		const { id, variable, needsKey: needed, found } = this.chosen as Provider;
		const stored = await this.context.keys.of(id);
		const set = found && needed && variable !== '';
		if (stored !== '' || set) {
			const answer = await pick<Item>({
				...this.place('key'), placeholder: 'Which key?', items: [
					...(stored !== '' ? [{ label: 'Use the stored key', description: 'from the editor’s secret storage', value: stored }] : []),
					...(set ? [{ label: `Use the key in ${variable}`, description: 'from the environment', value: '' }] : []),
					{ label: 'Enter a key…' },
				],
			});
			if (answer === undefined || answer === back || answer.value !== undefined) {
				this.key = typeof answer === 'object' ? (answer.value ?? '') : this.key;
				return answer;
			}
		}
		const page = keyPages[id];
		const answer = await write({
			...this.place('key'), password: true, placeholder: needed ? 'API key' : 'API key; leave empty if none is needed',
			prompt: `Stored in the editor’s secret storage and passed only to Redline’s server.${isPlain(this.address) ? ' This address is http: the key will be sent unencrypted.' : ''}`,
			wrong: (text) => wrongKey(text, needed), page: page === undefined ? undefined : { title: `Get a key from ${this.chosen?.name}`, url: page },
		});
		if (typeof answer === 'string') {
			this.key = answer;
		}
		return answer;
	}

	private async askModel(): Promise<Answered<unknown>> {
		const before = this.model || this.context.server.chosen().name;
		const items = this.ask(['--models'], true, readModels).then((models): Item[] => {
			if ('error' in models) {
				return [{ label: '$(warning) Cannot list the models', detail: withoutVariable(models.error), description: 'select to go back', value: '' }];
			}
			return models.map((name) => ({ label: name, value: name }));
		});
		const answer = await pick<Item>({
			...this.place('model'), placeholder: 'Which model? Type to filter the list, or enter another name.', items,
			// The name is in the description, not in the label: what is listed and matches comes first, and Enter takes that.
			free: (name) => ({ label: 'Use another name', description: name, value: name, alwaysShow: true }), current: (item) => item.value === before,
		});
		if (answer === undefined || answer === back) {
			return answer;
		}
		if (!answer.value) {
			return back;
		}
		this.model = answer.value;
		return answer;
	}

	/** Sends a test request and shows the result. Returns whether the setup is over. */
	private async test(): Promise<boolean> {
		const begun = Date.now();
		const tested = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Redline: sending a test request to ${this.name}…`, cancellable: true }, (_, token) => {
			const abort = new AbortController();
			token.onCancellationRequested(() => abort.abort());
			return this.ask(['--test', ...(this.model === '' ? [] : ['--model', this.model])], true, readTested, abort.signal);
		});
		if ('error' in tested && tested.error === cancelled) {
			return false;
		}
		if ('error' in tested) {
			const other = 'Change It', anyway = 'Use It Anyway';
			const chosen = await say(kind.warning, `Redline: ${this.name} did not answer. ${withoutVariable(tested.error)}`, other, anyway);
			if (chosen === anyway) {
				await this.save();
			}
			return chosen !== other;
		}
		await this.save();
		void this.tell(tested, Date.now() - begun);
		return true;
	}

	private async save(): Promise<void> {
		await this.context.server.take({ provider: this.chosen?.id ?? '', name: this.model, baseUrl: this.address }, this.key);
	}

	private async tell(tested: Tested, took: number): Promise<void> {
		const ask = 'Ask for a Change';
		const warned = tested.warnings.length > 0;
		const other = 'Choose Another Model';
		const chosen = await say(warned ? kind.warning : kind.info, `Redline: ${resultOf(this.name, tested, took)}`, ask, ...(warned ? [other] : []));
		if (chosen === other) {
			await vscode.commands.executeCommand('redline.ui.setup');
		} else if (chosen === ask) {
			await vscode.commands.executeCommand('redline.ui.ask');
		}
	}

	private ask<T>(words: string[], ofProvider: boolean, read: (raw: Record<string, unknown>) => T | undefined, signal?: AbortSignal): Promise<Answer<T>> {
		const subject: Subject | undefined = ofProvider ? { provider: this.chosen?.id ?? '', baseUrl: this.address, key: this.key } : undefined;
		return askProgram(this.program, this.context.server.environment(), words, subject, read, signal);
	}
}
