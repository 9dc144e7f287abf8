import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { sendPlain } from '../transport/plain-text.ts';

const types: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.woff2', 'font/woff2'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
]);
const mostBytes = 4 * 1024 * 1024;
const path = /^\/custom\/([\w.-]+(?:\/[\w.-]+)*)$/;

/**
 * `GET /custom/NAME`: the files of a folder that an operator mounts for `ui.cssurl: ./custom/NAME.css`, as upstream has them: style sheets,
 * and the fonts and images that they name. Undefined for other paths.
 */
export function serveCustomStyles(
  dir: string | undefined,
  asked: string,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> | undefined {
  if (!asked.startsWith('/custom/')) return undefined;
  const name = path.exec(asked)?.[1];
  const type = types.get(extname(name ?? '').toLowerCase());
  const known = dir !== undefined && name !== undefined && type !== undefined && !name.split('/').includes('..');
  if (!known || (request.method !== 'GET' && request.method !== 'HEAD'))
    return Promise.resolve(sendPlain(response, 404, 'Not Found'));
  return serveFile(dir, name, type, response);
}

async function serveFile(dir: string, name: string, type: string, response: HttpResponse): Promise<void> {
  const content = await contentOf(dir, name);
  if (!content) return sendPlain(response, 404, 'Not Found');
  response.statusCode = 200;
  response.setHeader('Content-Type', type);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // an image that somebody opens alone is a page: it runs nothing
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  response.end(content);
}

/** Undefined for what is not there, too large, or by a link elsewhere. ConfigMaps are mounted as links within their folder. */
async function contentOf(dir: string, name: string): Promise<Buffer | undefined> {
  try {
    const [root, file] = await Promise.all([realpath(dir), realpath(join(dir, name))]);
    const found = await stat(file);
    return file.startsWith(root + sep) && found.isFile() && found.size <= mostBytes ? await readFile(file) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP') return undefined;
    throw error;
  }
}
