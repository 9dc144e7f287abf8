import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersBelow } from '../pod/folders.ts';
import type { RoleOptions } from '../work/work.ts';

/** `agent init`: a token for each plugin of the agent's pod, with which the agent and it know each other. */
export function agentInit({ env }: RoleOptions): void {
  for (const name of JSON.parse(env.ARGO_PLUGIN_NAMES || '[]') as string[]) {
    const folder = join(foldersBelow(env.CONTAINER_ROOT ?? '').run, name);
    mkdirSync(folder, { recursive: true, mode: 0o770 });
    writeFileSync(join(folder, 'token'), randomBytes(24).toString('base64url'), { mode: 0o440 });
  }
}
