/** Commands by the last part of their names, each with what it does. */
export type Commands = Record<string, (...args: never[]) => unknown>;
