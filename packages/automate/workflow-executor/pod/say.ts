/** A line of the executor's own log. Readers of a pod's logs know it by `argo=true`. */
export function say(message: string, level: 'info' | 'warning' | 'error' = 'info'): void {
  process.stderr.write(
    `time=${JSON.stringify(new Date().toISOString())} level=${level} msg=${JSON.stringify(message)} argo=true\n`,
  );
}
