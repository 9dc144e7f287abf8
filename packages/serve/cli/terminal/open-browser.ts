import { spawn } from 'node:child_process';

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Shows an http address in the default browser; does nothing where there is none: the address is printed too. */
export function openBrowser(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return;
  const [program = '', ...args] = programs[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
