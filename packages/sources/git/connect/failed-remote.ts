import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import type { Credentials } from '../repository/credentials.ts';
import { repositoryFailed } from '../repository/diagnoses.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';

export interface RemoteFailure {
  readonly operation: string;
  readonly stderr: string;
  readonly remote: RepositoryUrl;
  /** As configured, for the description. */
  readonly credentials: Credentials;
  /** As sent: for a GitHub App with its token as password. */
  readonly effective: Credentials;
  readonly clock: Clock;
  readonly timeout: number;
  /** When the repository was read last, in milliseconds since the epoch. */
  readonly lastSuccess: number | undefined;
  /** The way that was gone, and how long it took. */
  readonly way?: Facts;
}

export type Facts = Record<string, string | number | undefined>;

export function unknown(context: RemoteFailure, facts: Facts): DiagnosisError {
  const words = lastLines(context.stderr) || 'git said nothing';
  return failure(
    repositoryFailed,
    {
      message: `git ${context.operation} failed: ${firstOf(words)}`,
      place: { remote: context.remote.display },
      evidence: common(context, { ...facts, git: words }),
      remedies: ['It is tried again by itself; the evidence has what git said'],
    },
    { handling: 'retryable' },
  );
}

export function common(context: RemoteFailure, facts: Facts): Record<string, string | number | undefined> {
  return {
    ...facts,
    ...context.way,
    'last success':
      context.lastSuccess === undefined ? 'none since the start' : new Date(context.lastSuccess).toISOString(),
  };
}

/** The line that says what failed: git's advice that follows it is no cause. */
function firstOf(words: string): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /^(fatal|error|remote error):/i.test(line)) ?? lines.at(-1) ?? words;
}

export function lastLines(stderr: string): string {
  return stderr.split('\n').slice(-6).join('\n');
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;
}
