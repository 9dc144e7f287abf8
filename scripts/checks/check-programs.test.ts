import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPrograms, programBreaches } from './check-programs.ts';

const other = 'packages/serve/server/other.ts';
const git = 'packages/sources/git/connect/git-process.ts';

test('what starts programs is on a list, and none of it gives text to a shell', () => {
  for (const [file, text, wrong] of [
    [other, "import { spawn } from 'node:child_process';", /starts a program/],
    [other, "import type { ChildProcess } from 'node:child_process';", undefined],
    [other, "import { type ChildProcess } from 'node:child_process';", undefined],
    [git, "import { spawn } from 'node:child_process';", undefined],
    [git, "import { exec } from 'node:child_process';", /lines to a shell/],
    [git, "import * as all from 'child_process';", /lines to a shell/],
    [git, "const all = await import('node:child_process');", /lines to a shell/],
    [git, "import { spawn } from 'node:child_process';\nspawn('git', [], { shell: true });", /:2: asks for a shell/],
    [git, "import { spawn } from 'node:child_process';\nspawn('git', [], { shell: false });", undefined],
    [git, "import { spawn } from 'node:child_process';\nspawn('/bin/sh', ['-c', text]);", /:2: names a shell/],
    [git, "import { spawn } from 'node:child_process';\nspawn('bash', []);", /names a shell/],
  ] as const) {
    const [told = ''] = programBreaches(file, text);
    if (wrong) assert.match(told, wrong, text);
    else assert.equal(told, '', text);
  }
});

test('holds for the packages', () => {
  assert.deepEqual(checkPrograms(), []);
});
