import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ServedAs } from '../settings/served-as.ts';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { sendPlain } from '../transport/plain-text.ts';
import { takesGzip } from './compressed.ts';

type PageSettings = Pick<ServedAs, 'baseHref' | 'frameOptions' | 'contentSecurityPolicy'> & {
  /** The only page of the navigation that is offered; all of them if absent. */
  readonly only?: string;
  /** The page runs scripts of others, which are served beside it. */
  readonly extended?: boolean;
  /** `ui.cssurl`: an address of another server is let in, with what it loads from there. */
  readonly styles?: string;
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Text becomes markup or code by the page's one policy alone. Bundles of others write markup of their own. */
const trustedTypes = "require-trusted-types-for 'script'; trusted-types default";

/** Headers of every page: only our own scripts run, nobody frames us unless settings permit it, nothing is guessed. */
function pageHeaders(
  { frameOptions, contentSecurityPolicy, extended, styles = '' }: PageSettings,
  scriptHashes: readonly string[] = [],
): Record<string, string> {
  const scripts = ["'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`)].join(' ');
  const from = originOf(styles);
  const own = `default-src 'self'; script-src ${scripts}; style-src 'self' 'unsafe-inline'${from}; img-src 'self' data:${from}; font-src 'self' data:${from}; worker-src 'self' blob:; frame-ancestors 'self'; base-uri 'self'; form-action 'self'${extended ? '' : `; ${trustedTypes}`}`;
  return {
    'Content-Security-Policy': mergedPolicy(own, contentSecurityPolicy),
    'X-Frame-Options': frameOptions,
    'X-Content-Type-Options': 'nosniff',
    'X-XSS-Protection': '1',
    'Referrer-Policy': 'same-origin',
  };
}

/** The origin of a style sheet of another server, with a blank in front; empty for one of this server, and for what is none. */
function originOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const { protocol, origin, host } = new URL(address);
  // a host may have a semicolon, which would begin another rule of the policy
  return protocol === 'https:' && /^[\w.:[\]-]+$/.test(host) ? ` ${origin}` : '';
}

/** The directives of both; those of `settings` come first. */
function mergedPolicy(own: string, settings: string): string {
  const directives = [...directivesOf(own), ...directivesOf(settings)];
  return [...new Map(directives.map((text) => [text.split(/\s/)[0]?.toLowerCase(), text])).values()].join('; ');
}

function directivesOf(policy: string): string[] {
  return policy
    .split(';')
    .map((directive) => directive.trim())
    .filter(Boolean);
}

/** Serves the web page's files from a folder; paths that are no file get index.html with its base set, for the page's own router. */
export async function serveWebFile(
  dir: string | undefined,
  settings: PageSettings,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendPlain(response, 405, 'Method Not Allowed');
  if (!dir) return sendPlain(response, 404, 'This server has no web page; the API is under /api/v1');
  const path = decodePath(request.url ?? '/');
  if (path === undefined) return sendPlain(response, 400, 'The path is not percent-encoded text');
  const file = join(dir, normalize(`/${path}`));
  const isFile = file.startsWith(dir + sep) && (await stat(file).then((found) => found.isFile(), absent));
  if (!isFile && extname(path) !== '' && !path.endsWith('.html') && path.startsWith('/assets/'))
    return sendPlain(response, 404, 'Not Found');
  const index = !isFile || file === join(dir, 'index.html');
  const body = await readFile(index ? join(dir, 'index.html') : file).catch(() => undefined);
  if (!body) return sendPlain(response, 404, 'The web page is not built; run npm run build -w packages/serve/web');
  const page = index ? Buffer.from(withMarks(withBase(body.toString('utf8'), settings.baseHref), settings)) : body;
  const hashes = index ? inlineScriptHashes(page.toString('utf8')) : [];
  for (const [name, value] of Object.entries(pageHeaders(settings, hashes))) response.setHeader(name, value);
  response.setHeader(
    'Content-Type',
    index ? (types['.html'] as string) : (types[extname(file)] ?? 'application/octet-stream'),
  );
  response.setHeader('Cache-Control', index ? 'no-cache' : keptFor(path));
  response.statusCode = 200;
  response.setHeader('Vary', 'Accept-Encoding');
  if (request.method === 'HEAD') return void response.end();
  if (!takesGzip(request) || page.length < 1024 || !compressible.has(extname(file))) return void response.end(page);
  response.setHeader('Content-Encoding', 'gzip');
  response.end(index ? await compress(page) : await compressedFile(file, page));
}

/** What a browser may keep of the page's files: those whose names hold their digest for ever; it asks for the icon at each change of the address. */
function keptFor(path: string): string {
  if (path.startsWith('/assets/')) return 'public, max-age=31536000, immutable';
  return path === '/favicon.svg' ? 'public, max-age=3600' : 'no-cache';
}

const compress = promisify(gzip);
const compressible = new Set(['', '.html', '.js', '.mjs', '.css', '.svg', '.json', '.map', '.txt', '.wasm']);
/** Files whose names hold their digest are compressed once; a new page has new names. */
const compressed = new Map<string, Promise<Buffer>>();
const mostCompressed = 500;

function compressedFile(file: string, content: Buffer): Promise<Buffer> {
  if (!file.includes(`${sep}assets${sep}`)) return compress(content);
  const known = compressed.get(file);
  if (known) return known;
  if (compressed.size >= mostCompressed) compressed.clear();
  const made = compress(content, { level: 9 });
  compressed.set(file, made);
  return made;
}

const absent = () => false;

function decodePath(url: string): string | undefined {
  if (!URL.canParse(`http://localhost${url}`)) return undefined;
  try {
    return decodeURIComponent(new URL(`http://localhost${url}`).pathname);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function withBase(html: string, baseHref: string): string {
  const base = `<base href="${baseHref.endsWith('/') ? baseHref : `${baseHref}/`}">`;
  return /<base [^>]*>/.test(html)
    ? html.replace(/<base [^>]*>/, base)
    : html.replace(/<head([^>]*)>/, `<head$1>${base}`);
}

/** What the page has to know before it asks for anything. */
function withMarks(html: string, { only, extended }: PageSettings): string {
  const marks = `${only === undefined ? '' : ` data-only="${only}"`}${extended ? ' data-extended' : ''}`;
  return marks ? html.replace(/<html\b/, `<html${marks}`) : html;
}

function inlineScriptHashes(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) =>
    createHash('sha256')
      .update(match[1] as string)
      .digest('base64'),
  );
}
