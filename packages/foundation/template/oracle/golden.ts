import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Answer, askGo, type Question } from './oracle.ts';
import { table } from './table.ts';

const file = join(import.meta.dirname, '..', 'testdata', 'golden.json.gz');

/** A question of the table and what Go answered. */
export interface Golden {
  readonly question: Question;
  readonly answer: Answer;
}

/** The recorded answers, for tests without Go. */
export function readGolden(): Golden[] {
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as Golden[];
}

/** Asks Go every fourth question of the table and records the answers. Run this file to do so. */
export function recordGolden(): void {
  const questions = table().filter((_question, i) => i % 4 === 0);
  const answers = askGo(questions);
  const golden = questions
    .map((question, i) => ({ question, answer: answers[i] as Answer }))
    .filter(({ answer }) => !/0x[0-9a-f]{8,}|c0[0-9a-f]{8}/.test(Buffer.from(answer.output, 'base64').toString()));
  writeFileSync(file, gzipSync(JSON.stringify(golden), { level: 9 }));
}

if (process.argv[1] === import.meta.filename) recordGolden();
