// Takes the picture of the page for docs/images, of a real review.
//   node out/test/pictures.mjs FOLDER
import { join } from 'node:path';
import { quit, skip, visit } from './chromium';
import { noGo, removeProgram, Workspace } from './redline';

const files = {
	'go.mod': 'module shop\n\ngo 1.26\n',
	'prices.go': '// Package shop adds up prices.\npackage shop\n\n// Total adds up prices, in cents.\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n',
	'cart.go': 'package shop\n\n// Cart has what somebody buys.\ntype Cart struct{ prices []int }\n\n// Add puts something into the cart.\nfunc (c *Cart) Add(price int) { c.prices = append(c.prices, price) }\n\n// Due is what the cart costs, with taxes.\nfunc (c *Cart) Due() int {\n\treturn Total(c.prices) * 119 / 100\n}\n',
	'prices_test.go': 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 3 {\n\t\tt.Errorf("got %d, want 3", got)\n\t}\n}\n',
};

const folder = process.argv[2];
const missing = skip || noGo;
if (folder === undefined || missing !== false) {
	throw new Error(missing || 'name the folder for the picture');
}
const work = new Workspace(files);
try {
	await work.run('run', 'rename Total to Sum then run go test ./...');
	const review = await work.review();
	await using opened = await visit(review.address, { viewport: { width: 1280, height: 860 }, colorScheme: 'light' });
	const { page } = opened;
	await page.locator('#code').fill(review.code);
	await page.keyboard.press('Enter');
	await page.locator('.hunk tr').first().waitFor();
	await page.getByRole('button', { name: 'Approve file cart.go' }).click();
	await page.getByRole('button', { name: /^Run go test/ }).click();
	await page.keyboard.press('j');
	await page.mouse.move(0, 0);
	await page.evaluate(() => scrollTo(0, 0));
	await page.screenshot({ path: join(folder, 'review.png'), animations: 'disabled' });
} finally {
	await quit();
	await work.remove();
	removeProgram();
}
