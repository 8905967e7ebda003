// The keys of the page. They are off while somebody types, while a dialog is open, and when the user says so.

const off = 'redline.keys';

export const keysAreOn = (): boolean => sessionStorage.getItem(off) !== 'off';
export const turnKeys = (on: boolean): void => sessionStorage.setItem(off, on ? 'on' : 'off');

/** Calls the action of a key that is pressed anywhere on the page, until the signal. */
export function onKeys(actions: Record<string, () => void>, signal: AbortSignal): void {
	document.addEventListener('keydown', (event) => {
		const at = event.target instanceof Element ? event.target : document.body;
		const typing = at.closest('textarea, input:not([type=checkbox]), select, [contenteditable]') !== null;
		if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing || document.querySelector('dialog[open]') !== null) {
			return;
		}
		const act = actions[event.key];
		if (act !== undefined && (event.key === '?' || keysAreOn())) {
			event.preventDefault();
			act();
		}
	}, { signal });
}
