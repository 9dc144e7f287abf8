import type { RoleOptions } from '../work/work.ts';

/** `kill SIGNAL PID`: how the controller ends a container of this image. */
export function kill({ args }: RoleOptions): void {
  const [signal, pid] = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  if (signal === undefined || pid === undefined) throw new Error('usage: kill SIGNAL PID');
  process.kill(pid, signal);
}
