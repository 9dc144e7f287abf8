import { execFile } from 'node:child_process';
import { helmCommand } from '@tiphys/helm';

/** What a command printed. */
export interface Printed {
  readonly out: string;
  readonly error: string;
  readonly code: number;
}

/** Renders by Tiphys, in this process. */
export async function renderHere(args: readonly string[], folder: string): Promise<Printed> {
  let [out, error] = ['', ''];
  const code = await helmCommand(args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    workdir: folder,
    env: {},
  });
  return { out: Buffer.from(out).toString('latin1'), error, code };
}

/** Renders by a real helm. Its output is compared byte by byte: it is given as Latin-1. */
export function renderByHelm(helm: string, args: readonly string[], folder: string): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: folder, TZ: 'UTC' };
    execFile(
      helm,
      args,
      { cwd: folder, env, maxBuffer: 1 << 30, encoding: 'latin1', timeout: 120_000 },
      (error, out, err) => {
        if (error && typeof error.code !== 'number') reject(error);
        else
          resolve({
            out,
            error: Buffer.from(err, 'latin1').toString(),
            code: typeof error?.code === 'number' ? error.code : 0,
          });
      },
    );
  });
}

const address = /0x[0-9a-f]{8,}|\bc[0-9a-f]{9}\b/;

/** True if helm prints addresses in memory, which differ each time. */
export function isUnstable({ out, error }: Printed): boolean {
  return address.test(out) || address.test(error);
}

/** Equal exit codes and outputs; of errors, Helm's own words come first and Tiphys explains below. */
export function isSame(real: Printed, ours: Printed): boolean {
  if (real.code !== ours.code || real.out !== ours.out) return false;
  const left = withoutTime(real.error);
  const right = withoutTime(ours.error);
  return startsAlike(left, right) || startsAlike(unordered(left), unordered(right.slice(0, left.length + 1)));
}

function startsAlike(left: string, right: string): boolean {
  return right.trimEnd() === left.trimEnd() || right.startsWith(`${left.trimEnd()}\n`);
}

function withoutTime(text: string): string {
  return text.replace(/^time=\S+ /gm, '');
}

/** Helm walks over maps to check and to merge values: the order of what it finds and logs is random. */
function unordered(text: string): string {
  if (!/values don't meet the specifications|^level=/m.test(text)) return text;
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/'[^']*'(, '[^']*')+/, (list) => list.split(', ').sort().join(', ')))
    .sort()
    .join('\n');
}

/** The first line that differs, for people. */
export function difference(real: Printed, ours: Printed): string {
  const isOutput = real.out !== ours.out && real.code === ours.code;
  const left = (isOutput ? real.out : real.error || real.out).split('\n');
  const right = (isOutput ? ours.out : ours.error || ours.out).split('\n');
  const line = left.findIndex((text, i) => text !== right[i]);
  const at = line < 0 ? left.length : line;
  return `  exit code ${real.code} and ${ours.code}, line ${at + 1}\n  helm:   ${left[at]}\n  tiphys: ${right[at]}`;
}
