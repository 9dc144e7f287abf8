/** One thing that a simulated process does. */
export type Step = { print: string } | { wait: number };

/** What a simulated process does: its steps, then its loop for ever, or its end. */
export interface Script {
  steps: Step[];
  /** Repeated for ever after the steps; it has a wait. */
  loop?: Step[];
  /** Exit code; absent when the process never ends by itself. */
  exit?: number;
  /** What it wrote into `/dev/termination-log`. */
  message?: string;
  /** What it exits with when it is told to end, if it says so with `trap`; `ignored` if it does not listen. */
  onTerm?: number | 'ignored';
}

/** The lines that it prints before its loop or end. */
export function printed({ steps }: Script): string[] {
  return steps.flatMap((step) => ('print' in step ? [`${step.print}\n`] : []));
}

const maxSteps = 10_000;
const failing = new Set(['false', 'fail', '/bin/false']);
const quiet = new Set([
  'true',
  ':',
  'set',
  'touch',
  'mkdir',
  'cd',
  'test',
  'cat',
  'rm',
  'cp',
  'mv',
  'ls',
  'chmod',
  'wait',
]);

interface Interpreter {
  steps: Step[];
  env: Record<string, string>;
  code: number;
  ended: boolean;
  /** A program that is not known ran: nobody can say when it ends. */
  unknown: boolean;
  forever: boolean;
  loop?: Step[];
  message?: string;
  onTerm?: number | 'ignored';
}

/**
 * Understands the little shell of examples and tests: `echo`, `sleep`, `exit`, `true`, `false`, `;`, `&&`, `||`,
 * `while true` and `for` loops. Any other program is unknown: `endsUnknown` tells whether it ends well at once
 * (a pod that is to complete) or serves for ever.
 */
export function shellScript(command: readonly string[], env: Record<string, string>, endsUnknown: boolean): Script {
  const state: Interpreter = { steps: [], env: { ...env }, code: 0, ended: false, unknown: false, forever: false };
  const flag = command.findIndex((word) => /^-[a-z]*c$/.test(word));
  const isShell = /(^|\/)(ba|da|a|z|k)?sh$/.test(command[0] ?? '');
  if (isShell && flag > 0) runText(state, command[flag + 1] ?? '');
  else if (command.length > 0)
    runWords(
      state,
      command.map((word) => expand(word, state.env)),
    );
  else state.unknown = true;
  const { steps, loop, onTerm } = state;
  const said = { ...(state.message ? { message: state.message } : {}), ...(onTerm === undefined ? {} : { onTerm }) };
  if (loop) return { steps, loop, ...said };
  if (state.forever || (state.unknown && !endsUnknown && !state.ended && state.code === 0)) return { steps, ...said };
  return { steps, exit: state.code, ...said };
}

function runText(state: Interpreter, text: string): void {
  const loop = /(?:^|[\s;])(while|until|for)\s+([\s\S]*?)(?:;|\n)\s*do\s([\s\S]*?)(?:;|\n)\s*done/.exec(text);
  if (!loop) {
    runList(state, text);
    return;
  }
  runList(state, text.slice(0, loop.index));
  if (state.ended) return;
  runLoop(state, { word: loop[1] ?? '', head: loop[2] ?? '', body: loop[3] ?? '' });
  if (!state.ended && !state.loop && !state.forever) runText(state, text.slice(loop.index + loop[0].length));
}

function runLoop(state: Interpreter, { word, head, body }: { word: string; head: string; body: string }): void {
  if (word === 'for') {
    const [, name = '', items = ''] = /^(\w+)\s+in\s+(.*)$/s.exec(head.trim()) ?? [];
    for (const value of loopItems(items)) {
      if (state.ended || state.steps.length > maxSteps) return;
      state.env[name] = value;
      runText(state, body);
    }
    return;
  }
  const inner: Interpreter = { ...state, steps: [] };
  runText(inner, body);
  if (inner.ended) Object.assign(state, { ended: true, code: inner.code, steps: [...state.steps, ...inner.steps] });
  else if (inner.steps.some((step) => 'wait' in step && step.wait > 0)) state.loop = inner.steps;
  else state.forever = true;
}

function loopItems(text: string): string[] {
  const seq = /\$\(seq\s+(\d+)(?:\s+(\d+))?\)|\{(\d+)\.\.(\d+)\}/.exec(text);
  if (!seq) return text.split(/\s+/).filter(Boolean).slice(0, maxSteps);
  const first = Number(seq[3] ?? (seq[2] ? seq[1] : 1));
  const last = Math.min(Number(seq[4] ?? seq[2] ?? seq[1]), first + maxSteps);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => String(first + index));
}

function runList(state: Interpreter, text: string): void {
  let operator = ';';
  for (const part of splitCommands(text)) {
    if (state.ended || state.forever || state.steps.length > maxSteps) return;
    if (part === ';' || part === '&&' || part === '||') operator = part;
    else if (operator === ';' || (operator === '&&') === (state.code === 0)) runWords(state, wordsOf(part, state.env));
  }
}

/** Commands and the operators between them; quotes protect. */
function splitCommands(text: string): string[] {
  return (text.match(/&&|\|\||[;\n]|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\|(?!\|)|&(?!&)|[^;&|\n'"\\])+/g) ?? [])
    .map((part) => (part === '\n' ? ';' : part.trim()))
    .filter(Boolean);
}

function wordsOf(text: string, env: Record<string, string>): string[] {
  const words = text.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|([^'"]+)/g, (_, single?: string, double?: string, bare?: string) =>
      single !== undefined ? single : expand((double ?? bare ?? '').replace(/\\(["\\$`])/g, '$1'), env),
    ),
  );
}

/** `$NAME`, `${NAME}` of the shell and `$(NAME)` of the kubelet; a command substitution stays as it is. */
function expand(text: string, env: Record<string, string>): string {
  return text.replace(/\$(?:\{(\w+)\}|\((\w+)\)|(\w+))/g, (all, braced?: string, kubelet?: string, bare?: string) => {
    const name = braced ?? kubelet ?? bare ?? '';
    return env[name] ?? (kubelet ? all : '');
  });
}

function runWords(state: Interpreter, words: readonly string[]): void {
  const [program = '', ...args] = words[0] === 'exec' ? words.slice(1) : words;
  state.code = 0;
  const assignment = /^(?:export\s+)?(\w+)=(.*)$/s.exec(program === 'export' ? (args[0] ?? '') : program);
  if (assignment) state.env[assignment[1] ?? ''] = assignment[2] ?? '';
  else if (program === 'echo' || program === 'printf' || program === '/bin/echo') print(state, args);
  else if (program === 'sleep' || program === '/bin/sleep') sleep(state, args[0] ?? '0');
  else if (program === 'exit') Object.assign(state, { ended: true, code: Number(args[0] ?? 0) & 255 });
  else if (failing.has(program)) state.code = 1;
  else if (program === 'tail' && args.includes('-f')) state.forever = true;
  else if (program === 'kill') Object.assign(state, { ended: true, code: 137 });
  else if (program === 'trap') trap(state, args);
  else if (program && !quiet.has(program) && program !== '/bin/true') state.unknown = true;
}

/** `trap 'exit 0' TERM`, and `trap '' TERM` for those that do not listen. */
function trap(state: Interpreter, [action = '', ...signals]: readonly string[]): void {
  if (!signals.some((signal) => /^(SIG)?TERM$|^15$/.test(signal))) return;
  const [, code] = /(?:^|[\s;])exit\s*(\d*)/.exec(action) ?? [];
  if (action === '') state.onTerm = 'ignored';
  else if (code !== undefined) state.onTerm = Number(code) & 255;
}

function print(state: Interpreter, args: readonly string[]): void {
  const redirect = args.findIndex((word) => /^\d?>/.test(word));
  if (redirect >= 0 && !/^\d?>&/.test(args[redirect] ?? '')) {
    const file = args.slice(redirect).join('').replace(/^1?>+/, '');
    if (file === '/dev/termination-log') state.message = `${args.slice(0, redirect).join(' ')}\n`;
    return;
  }
  const words = (redirect < 0 ? args : args.slice(0, redirect)).filter(
    (word, index) => index > 0 || !/^-[neE]+$/.test(word),
  );
  for (const line of words.join(' ').replace(/\\n/g, '\n').replace(/\n$/, '').split('\n'))
    state.steps.push({ print: line });
}

function sleep(state: Interpreter, text: string): void {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text);
  if (!match) state.forever = true;
  else state.steps.push({ wait: Number(match[1]) * ({ s: 1, m: 60, h: 3600, d: 86400 }[match[2] || 's'] ?? 1) * 1000 });
}
