/**
 * Escapes a text for a notification. VS Code turns `[text](command:…)` into a link that runs the command, and a text of a
 * model or of a workspace must not offer that.
 */
export const plain = (text: string): string => text.replaceAll('](', '] (');
