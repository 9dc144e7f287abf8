import { durationProblem, parseDuration } from '../../spec/duration.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import { sendRequest } from '../../wire/http-request.ts';
import type { Metadata } from '../event-data.ts';
import type { Listen } from '../source.ts';
import { type FileState, operationProblem, type WatchPath, watchPathProblem } from './folder-diff.ts';
import { pollFolder } from './polled-folder.ts';

export interface HdfsSpec extends WatchPath {
  readonly type?: string;
  readonly checkInterval?: string;
  readonly addresses?: readonly string[];
  readonly hdfsUser?: string;
  readonly krbCCacheSecret?: unknown;
  readonly krbKeytabSecret?: unknown;
  readonly krbUsername?: string;
  readonly krbRealm?: string;
  readonly krbConfigConfigMap?: unknown;
  readonly krbServicePrincipalName?: string;
  readonly metadata?: Metadata;
}

const kerberos = [
  'krbCCacheSecret',
  'krbKeytabSecret',
  'krbUsername',
  'krbRealm',
  'krbConfigConfigMap',
  'krbServicePrincipalName',
] as const;

const timeout = 30_000;

export function hdfsProblem(spec: HdfsSpec): SpecProblem | undefined {
  const { type, addresses = [], hdfsUser, checkInterval } = spec;
  if (!type) return missing('type', 'type is required', 'CREATE');
  if (addresses.length === 0) return missing('addresses', 'addresses is required', '["http://namenode:9870"]');
  const unsupported = kerberos.find((field) => spec[field]);
  if (unsupported)
    return wrong(
      unsupported,
      `${unsupported}: Kerberos is not supported; name an hdfsUser`,
      'Remove it, and set hdfsUser',
    );
  if (!hdfsUser) return missing('hdfsUser', 'hdfsUser is required');
  const native = addresses.find((address) => !/^https?:\/\//.test(address));
  if (native)
    return wrong(
      'addresses',
      `address ${native}: name nodes are asked over WebHDFS, write its address, such as http://namenode:9870`,
      'Write the address of WebHDFS, such as http://namenode:9870',
    );
  if (checkInterval && durationProblem(checkInterval))
    return wrong('checkInterval', 'failed to parse interval', 'Write a duration such as 1m');
  return operationProblem('type', type) ?? watchPathProblem(spec);
}

/** Hears of the files of a folder of HDFS, over WebHDFS. */
export const listen: Listen<HdfsSpec> = async (context, ready) => {
  const { spec, signal } = context;
  const { addresses = [], directory = '', hdfsUser = '' } = spec;
  const ask = async (): Promise<Map<string, FileState>> => {
    let last: unknown;
    for (const address of addresses) {
      const url = `${address.replace(/\/$/, '')}/webhdfs/v1${encodeURI(directory)}?op=LISTSTATUS&user.name=${encodeURIComponent(hdfsUser)}`;
      try {
        const { status, body } = await sendRequest({ url, method: 'GET', headers: [], timeout, signal });
        if (status === 200) return statesOf(body);
        last = new Error(`WebHDFS answered ${status}`);
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };
  const period = parseDuration(spec.checkInterval || '1m');
  await pollFolder(context, { path: spec, type: spec.type ?? '', metadata: spec.metadata, period, states: ask, ready });
};

interface Listed {
  readonly pathSuffix: string;
  readonly fileId?: number;
  readonly modificationTime: number;
  readonly length: number;
  readonly permission: string;
}

function statesOf(body: string): Map<string, FileState> {
  const { FileStatuses } = JSON.parse(body) as { FileStatuses: { FileStatus: Listed[] } };
  return new Map(
    FileStatuses.FileStatus.map(({ pathSuffix, fileId, modificationTime, length, permission }) => [
      pathSuffix,
      {
        ...(fileId ? { id: String(fileId) } : {}),
        modified: modificationTime,
        size: length,
        mode: Number.parseInt(permission, 8),
      },
    ]),
  );
}
