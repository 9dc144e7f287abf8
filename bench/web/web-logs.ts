import type { Page } from 'playwright-core';

/** Lines that the page keeps. */
const lines = 100_000;

/** Milliseconds until the page has as many lines of a log as it keeps; the server has read them of pods. */
export async function measureLogs(page: Page, url: string, application: string): Promise<number> {
  const begin = performance.now();
  await page.goto(`${url}/applications/argocd/${application}/logs`);
  await page.getByText(new RegExp(`^${lines} lines`)).waitFor();
  return performance.now() - begin;
}

/** What the cluster says of a pod's log: its share of the lines at once, and nothing more. */
export async function* podLog(pods: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
  for (let index = 0; index < lines / pods; index += 100) {
    const part = Array.from({ length: Math.min(100, lines / pods - index) }, (_, at) => line(index + at));
    yield Buffer.from(part.join(''));
  }
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Frames a second while they are scrolled through. */
export function scrollLogs(page: Page): Promise<number> {
  return page.evaluate<number>(scroll);
}

function line(index: number): string {
  const time = new Date(Date.UTC(2026, 0, 2) + index).toISOString();
  return `${time} {"level":"${index % 50 === 0 ? 'error' : 'info'}","message":"request ${index} was answered","path":"/shop/${index % 97}","milliseconds":${index % 311}}\n`;
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
