import { expect } from 'vitest';
import { keptAs, launchBrowser } from './browser.js';

/** Opens an alert that fires on Prometheus's own page, in its classic form, which is all that Debian's package has. */
export async function takeAlertPicture(prometheusUrl: string, alert: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1100, height: 700 }, deviceScaleFactor: 2 });
    await page.goto(`${prometheusUrl}/classic/alerts`);
    const header = page.locator('.alert_header', { hasText: alert });
    await header.click();
    await page.getByRole('button', { name: 'Show annotations' }).click();
    const details = header.locator('xpath=following-sibling::tr[1]');
    await details.getByText('Annotations', { exact: true }).first().waitFor();
    expect(await details.textContent()).toMatch(/firing.*runbook.*alerts\.md#mcpjsonrpcerrors/is);
    const [top, bottom] = [await header.boundingBox(), await details.boundingBox()];
    if (top === null || bottom === null) throw new Error(`Prometheus's page doesn't show ${alert}`);
    const clip = { ...top, height: bottom.y + bottom.height - top.y };
    await page.screenshot({ ...keptAs('alert.png'), fullPage: true, clip });
  } finally {
    await browser.close();
  }
}
