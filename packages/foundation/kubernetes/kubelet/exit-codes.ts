/** Exit codes above 128 are signals: what usually sends each. */
const signals: ReadonlyMap<number, string> = new Map([
  [132, 'SIGILL: the program has an instruction that this processor does not know'],
  [134, 'SIGABRT: the program ended itself after an error'],
  [135, 'SIGBUS: memory that the program maps is not there'],
  [136, 'SIGFPE: a division by zero, for example'],
  [137, 'SIGKILL: the kubelet after the grace period, the kernel for want of memory, or somebody by hand'],
  [139, 'SIGSEGV: the program touched memory that is not its own'],
  [143, 'SIGTERM: it was asked to end'],
]);

/** What shells and runtimes say by a number. */
const meanings: ReadonlyMap<number, string> = new Map([
  [126, 'the command was found and may not be executed, or is no program of this system'],
  [127, 'the command was not found'],
  [128, 'the container runtime could not start the command'],
]);

export interface Ending {
  /** `exits with code 3`. */
  readonly how: string;
  /** What the code stands for, where it stands for something. */
  readonly meaning?: string | undefined;
  readonly signal: boolean;
  readonly remedy: string;
}

/** How a container ended that is restarted, and what can be done about it. */
export function endingOf(code: number | undefined, words: string): Ending {
  if (code === undefined) return { how: 'exits', signal: false, remedy: correct };
  if (code === 0)
    return {
      how: 'comes to its end without an error (code 0)',
      signal: false,
      remedy: 'Let the program run on, as containers of such a pod have to; work that comes to an end belongs in a Job',
    };
  const signal = signals.get(code);
  if (signal)
    return {
      how: `is ended by ${signal.split(':', 1)[0]} (code ${code})`,
      meaning: signal,
      signal: true,
      remedy: correct,
    };
  const meaning = meanings.get(code);
  return {
    how: `exits with code ${code}${meaning ? `: ${meaning}` : ''}`,
    meaning,
    signal: false,
    remedy: meaning || /executable file not found|no such file/.test(words) ? program : correct,
  };
}

const correct = 'Correct the command, configuration or image, or roll back';
const program =
  'Correct the command and its path, or build the program into the image, executable and for this processor';
