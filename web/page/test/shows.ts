// A test with a server that shows a plan.
import { test } from 'node:test';
import { skip } from './chromium';
import { Mock } from './server';
import type { Answer } from '../src/types';

/** Runs a test with a server that shows a plan. */
export function shows(name: string, plan: () => Answer, act: (mock: Mock) => Promise<void>): void {
	test(name, { skip, timeout: 120_000 }, async () => {
		const mock = await new Mock(plan()).start();
		try {
			await act(mock);
		} finally {
			await mock.stop();
		}
	});
}
