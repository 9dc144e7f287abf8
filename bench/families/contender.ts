import { type ChildProcess, execFileSync } from 'node:child_process';

/** A controller that is measured in a process of its own. */
export interface Contender {
  readonly name: string;
  readonly command: string;
  args(kubeconfig: string, ports: readonly number[]): string[];
}

/** Whether PATH has a command. */
export function isThere(command: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Ends a process, and waits until it has. */
export async function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null) return;
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exit;
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** Counts what a controller asks, by verb and resource; its Lease is left out. */
export class RequestCounter {
  #counts = new Map<string, number>();
  readonly #caller: RegExp;

  /** `caller`: what the controller's user agents have in common. */
  constructor(caller: RegExp) {
    this.#caller = caller;
  }

  begin(): void {
    this.#counts = new Map();
  }

  end(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  note(line: string): void {
    const { stage, verb, userAgent = '', objectRef } = JSON.parse(line) as AuditEvent;
    const resource = objectRef?.resource ?? '';
    const isOther = /\((?:bench|sandbox)\b/.test(userAgent) || !this.#caller.test(userAgent);
    if (stage !== 'ResponseComplete' || isOther || resource === 'leases' || verb === 'watch') return;
    const what = `${verb} ${resource}${objectRef?.subresource ? `/${objectRef.subresource}` : ''}`;
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}

/** All requests. */
export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

/** All requests, and the most frequent ones. */
export function told(counts: ReadonlyMap<string, number>): string {
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
  return `${total(counts)}: ${most.map(([what, count]) => `${count} ${what}`).join(', ')}`;
}
