import { resolve } from 'node:path';
import type { Access } from '@tiphys/registry';
import type { ParsedFlags } from './flags.ts';
import { tlsFiles } from './repositories-file.ts';

/** How hosts are reached, as the flags of a command say. Throws if a file can't be read. */
export function accessOfFlags(flags: ParsedFlags, workdir: string): Access {
  const file = (name: string): string => (flags.text(name) === '' ? '' : resolve(workdir, flags.text(name)));
  const username = flags.text('username');
  const password = flags.text('password');
  return {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(flags.flag('pass-credentials') ? { passCredentials: true } : {}),
    ...(flags.flag('insecure-skip-tls-verify') ? { insecure: true } : {}),
    ...(flags.flag('plain-http') ? { plainHttp: true } : {}),
    ...tlsFiles(file('cert-file'), file('key-file'), file('ca-file')),
    ...(username || password ? { from: '--username and --password' } : {}),
  };
}
