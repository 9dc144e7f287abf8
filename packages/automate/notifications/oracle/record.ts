import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { JsonMap } from '../model/notification.ts';
import { type Question, table } from './table.ts';

const file = join(import.meta.dirname, '..', 'testdata', 'recorded.json.gz');

/** A question and what Argo's engine answered. */
export interface Recorded {
  readonly question: Question;
  readonly answer: {
    readonly told: readonly string[] | null;
    readonly notification?: JsonMap;
    readonly error?: string;
  };
}

/** The recorded answers, for tests without Go. */
export function readRecorded(): Recorded[] {
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recorded[];
}

/** Builds the Go program into the user's cache and asks it. Run this file to record its answers. */
function record(): void {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tiphys', 'oracle');
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'notifications');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: import.meta.dirname, stdio: 'inherit' });
  const questions = table();
  const input = questions.map((question) => JSON.stringify(question)).join('\n');
  const { stdout, stderr, status } = spawnSync(program, { input, maxBuffer: 1 << 28, encoding: 'utf8' });
  const answers = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recorded['answer']);
  if (status !== 0 || answers.length !== questions.length)
    throw new Error(`Go answered ${answers.length} of ${questions.length}, then: ${stderr.slice(0, 2000)}`);
  const recorded = questions.map((question, i) => ({ question, answer: answers[i] }));
  writeFileSync(file, gzipSync(JSON.stringify(recorded), { level: 9 }));
}

if (process.argv[1] === import.meta.filename) record();
