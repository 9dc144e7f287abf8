import { posix } from 'node:path';
import { badRequest } from '@tiphys/apimachinery';

/** Where a list goes on. */
export interface ContinueToken {
  /** Revision of the first page; -1 for whatever is there now. */
  readonly revision: number;
  /** The first key of the next page: that of the last item with a zero byte behind. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

/** As kube-apiserver writes it. */
export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url');
}

/** Reads a token; BadRequest with the API server's words for what is none. */
export function decodeContinue(token: string): ContinueToken {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  // a single character is no byte
  const short = token.length % 4 === 1 ? token.length - 1 : -1;
  if (wrong >= 0 || short >= 0) throw invalid(`: illegal base64 data at input byte ${wrong >= 0 ? wrong : short}`);
  const { v = '', rv = 0, start = '' } = parsed(Buffer.from(token, 'base64url').toString());
  if (v !== VERSION) throw invalid(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalid(`: encoded start key empty (version ${VERSION})`);
  const key = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(key) !== key) throw invalid(`: ${start}`);
  return { revision: rv, start };
}

function parsed(text: string): { v?: string; rv?: number; start?: string } {
  try {
    return (JSON.parse(text) ?? {}) as { v?: string; rv?: number; start?: string };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(': the token is not JSON');
  }
}

function invalid(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}
