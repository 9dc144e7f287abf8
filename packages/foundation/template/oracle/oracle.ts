import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** One template to execute: data is JSON, with `{"$int": "1"}`, `$int64`, `$strings` and `$bytes` for Go's other types. */
export interface Question {
  readonly template: string;
  readonly data?: unknown;
  readonly missingKey?: 'default' | 'zero' | 'error';
  readonly delims?: readonly [string, string];
}

/** Output as bytes written in base64, or the error's text. */
export interface Answer {
  readonly output: string;
  readonly error?: string;
}

let program: string | undefined;

/** Builds the Go program into the user's cache folder; Go itself skips what is up to date. */
function build(): string {
  if (program) return program;
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tiphys', 'oracle');
  mkdirSync(folder, { recursive: true });
  const target = join(folder, 'template');
  execFileSync('go', ['build', '-o', target, '.'], { cwd: import.meta.dirname, stdio: 'inherit' });
  program = target;
  return target;
}

/** What Go answers, in order. */
export function askGo(questions: readonly Question[]): Answer[] {
  const input = questions.map((question) => JSON.stringify(question)).join('\n');
  const { stdout, stderr, status } = spawnSync(build(), { input, maxBuffer: 1 << 30, encoding: 'utf8' });
  const answers = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Answer)
    .map((a) => ({ ...a, output: a.output ?? '' }));
  if (status !== 0 || answers.length !== questions.length) {
    throw new Error(`The oracle answered ${answers.length} of ${questions.length}, then: ${stderr.slice(0, 2000)}`);
  }
  return answers;
}
