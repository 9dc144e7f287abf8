import { checkHosts } from '@tiphys/outbound';
import SftpClient from 'ssh2-sftp-client';
import type { KeySelector } from '../../spec/common.ts';
import { durationProblem, parseDuration } from '../../spec/duration.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
import type { Metadata } from '../event-data.ts';
import type { Listen } from '../source.ts';
import { type FileState, operationProblem, type WatchPath, watchPathProblem } from './folder-diff.ts';
import { pollFolder } from './polled-folder.ts';

export interface SftpSpec {
  readonly eventType?: string;
  readonly watchPathConfig?: WatchPath;
  readonly address?: KeySelector;
  readonly username?: KeySelector;
  readonly password?: KeySelector;
  readonly sshKeySecret?: KeySelector;
  readonly pollIntervalDuration?: string;
  readonly metadata?: Metadata;
}

export function sftpProblem({
  eventType,
  watchPathConfig,
  address,
  pollIntervalDuration,
}: SftpSpec): SpecProblem | undefined {
  if (!address) return missing('address', 'address must be specified');
  const slow = pollIntervalDuration && durationProblem(pollIntervalDuration);
  if (slow) return wrong('pollIntervalDuration', slow, 'Write a duration such as 10s');
  return operationProblem('eventType', eventType) ?? within('watchPathConfig', watchPathProblem(watchPathConfig ?? {}));
}

/** Hears of the files of a folder of an SFTP server. */
export const listen: Listen<SftpSpec> = async (context, ready) => {
  const { spec, keys } = context;
  const { watchPathConfig: path = {}, address, username, password, sshKeySecret } = spec;
  const [host = '', port] = (address ? (await keys.secret(address)).trim() : '').split(':');
  await checkHosts(host);
  const client = new SftpClient();
  await client.connect({
    host,
    port: Number(port ?? 22),
    ...(username ? { username: (await keys.secret(username)).trim() } : {}),
    ...(password ? { password: (await keys.secret(password)).trim() } : {}),
    ...(sshKeySecret ? { privateKey: await keys.secret(sshKeySecret) } : {}),
  });
  try {
    const states = async () =>
      new Map<string, FileState>(
        (await client.list(path.directory ?? '')).map(({ name, modifyTime, size, rights }) => [
          name,
          {
            modified: modifyTime,
            size,
            mode: rights ? [...JSON.stringify(rights)].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 0) : 0,
          },
        ]),
      );
    const period = parseDuration(spec.pollIntervalDuration || '10s');
    await pollFolder(context, { path, type: spec.eventType ?? '', metadata: spec.metadata, period, states, ready });
  } finally {
    await client.end();
  }
};
