import * as vscode from 'vscode';
import type { Board } from '../core/board';
import { report } from '../core/trials';

const scheme = 'redline-trial';

/** Shows the output of trials as read-only documents. */
export class TrialOutputs implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<vscode.Uri>();
	readonly onDidChange = this.changes.event;
	private readonly subscriptions: vscode.Disposable[];

	constructor(private readonly board: Board) {
		this.subscriptions = [
			this.changes,
			vscode.workspace.registerTextDocumentContentProvider(scheme, this),
			{ dispose: board.changed.listen((plan) => this.follow(plan?.plan)) },
		];
	}

	dispose(): void {
		vscode.Disposable.from(...this.subscriptions).dispose();
	}

	/** Opens the output of a trial in a preview tab. */
	async open(plan: number, trial: string): Promise<void> {
		const query = new URLSearchParams({ plan: String(plan), trial }).toString();
		await vscode.window.showTextDocument(vscode.Uri.from({ scheme, path: `/Trial ${trial} of plan ${plan}`, query }), { preview: true });
	}

	provideTextDocumentContent(uri: vscode.Uri): string {
		const query = new URLSearchParams(uri.query);
		const plan = this.board.plan(Number(query.get('plan')));
		const trial = plan?.trials?.find(({ id }) => id === query.get('trial'));
		return plan && trial ? report(plan, trial) : 'This trial no longer exists.\n';
	}

	/** Updates the shown reports of a plan's trials, or of all: a result may no longer be current. */
	private follow(plan: number | undefined): void {
		for (const { uri } of vscode.workspace.textDocuments) {
			if (uri.scheme === scheme && (plan === undefined || new URLSearchParams(uri.query).get('plan') === String(plan))) {
				this.changes.fire(uri);
			}
		}
	}
}
