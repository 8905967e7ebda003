/**
 * A text for a notification. VS Code makes a link of each `[text](command:…)` there, which runs that command when it is
 * clicked, and a text of a model, or of a workspace, must not offer that.
 */
export const plain = (text: string): string => text.replaceAll('](', '] (');
