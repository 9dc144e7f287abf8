import type { Page } from 'playwright-core';

/** Lines that the page keeps. */
const lines = 100_000;

/** Milliseconds until the page has as many lines of a log as it keeps. */
export async function measureLogs(page: Page, url: string): Promise<number> {
  let asked = 0;
  await page.route('**/api/v1/applications/*/logs?**', async (route) => {
    asked += 1;
    // who comes again after the end waits, as for a container that says nothing more
    if (asked > 1) return;
    await route.fulfill({ contentType: 'text/event-stream', body: stream() });
  });
  const begin = performance.now();
  await page.goto(`${url}/applications/argocd/app-00000/logs`);
  await page.getByText(new RegExp(`^${lines} lines`)).waitFor();
  return performance.now() - begin;
}

/** Frames a second while they are scrolled through. */
export function scrollLogs(page: Page): Promise<number> {
  return page.evaluate<number>(scroll);
}

function stream(): string {
  const parts = Array.from({ length: lines }, (_, index) => {
    const content = `{"level":"${index % 50 === 0 ? 'error' : 'info'}","message":"request ${index} was answered","path":"/shop/${index % 97}","milliseconds":${index % 311}}`;
    const result = { content, podName: `web-${index % 3}`, timeStampStr: '2026-01-02T03:04:05.000Z', last: false };
    return `data: ${JSON.stringify({ result })}\n\n`;
  });
  return parts.join('');
}

const scroll = `new Promise((resolve) => {
  const host = document.querySelector('.log-lines');
  const begin = performance.now();
  let frames = 0;
  const step = () => {
    frames += 1;
    host.scrollTop = (host.scrollHeight * ((performance.now() - begin) % 500)) / 500;
    if (performance.now() - begin < 2000) requestAnimationFrame(step);
    else resolve((1000 * frames) / (performance.now() - begin));
  };
  step();
})`;
