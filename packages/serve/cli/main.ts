import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';

// An expression that tries too many ways is tried once more, by an engine whose time is linear in the text. The rule stays that
// there is none (scripts/checks/check-regexps.ts); this is for what libraries bring.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
// Before anything of ours is loaded: the second start then takes half of the time.
enableCompileCache(join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tiphys', 'compiled'));
const { terminalOutput } = await import('./terminal/output.ts');
const { runProgram } = await import('./program.ts');
const { terminalQuestions } = await import('./terminal/confirm.ts');

const abort = new AbortController();
let interrupted = false;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second one means it: whatever still hangs is given up.
    if (interrupted) process.exit(130);
    interrupted = true;
    abort.abort(new Error(`stopped by ${name}`));
  });
}

// Who reads no more of the output, as `head` does, has what they want: there is nobody to print an error to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

async function askPassword(prompt: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await reader.question('');
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

process.exitCode = await runProgram(process.argv.slice(2), {
  output: terminalOutput(process.stdout, process.stderr, process.env),
  env: process.env,
  workdir: process.env.TIPHYS_WORKDIR ?? process.cwd(),
  signal: abort.signal,
  askPassword,
  ask: terminalQuestions(process.stdin, process.stderr),
});
