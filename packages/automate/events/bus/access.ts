import { parseDocuments } from '@tiphys/yaml';
import type { KeyReader } from '../keys/key-reader.ts';
import type { KeySelector } from '../spec/common.ts';

/** What the access Secret of a bus holds: a token, or a user with a password. */
export interface BusAccess {
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
}

/** Reads the `accessSecret` of a bus; nothing where there is none. */
export async function busAccess(selector: KeySelector | undefined, keys: KeyReader): Promise<BusAccess> {
  if (!selector) return {};
  const [document] = parseDocuments(await keys.secret(selector), { file: 'auth.yaml' }).documents;
  const value = (document?.value ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const text = (name: string) =>
    value[name] === undefined || value[name] === null ? {} : { [name]: String(value[name]) };
  return { ...text('token'), ...text('username'), ...text('password') };
}
