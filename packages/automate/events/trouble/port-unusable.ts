import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { processAt } from '@tiphys/inbound';

const kind = defineDiagnosis('EventsPortUnusable', 'The port of an event source cannot be listened on');

interface Found {
  readonly message: string;
  readonly remedy: string;
  /** Number of the process that has the port. */
  readonly process?: number | undefined;
}

/** Why the port of an event source cannot be listened on; it is tried again. */
export function portUnusable(error: NodeJS.ErrnoException, at: { host: string; port: number }): DiagnosisError {
  const { message, remedy, process } = causeOf(error, at);
  return failure(
    kind,
    { message, evidence: { address: `${at.host}:${at.port}`, process }, remedies: [remedy] },
    { handling: 'retryable', cause: error },
  );
}

function causeOf(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Found {
  switch (error.code) {
    case 'EADDRINUSE':
      return taken(host, port);
    case 'EACCES':
      return {
        message: `Port ${port} of ${host} may not be listened on by the user that Tiphys runs as: ports below 1024 are for privileged ones`,
        remedy: `Set a port above 1023 in the EventSource, such as ${port + 8000}, and have spec.service send port ${port} to it as its targetPort`,
      };
    case 'EADDRNOTAVAIL':
      return {
        message: `Port ${port} cannot be listened on: ${host} is no address of this machine`,
        remedy: 'Start Tiphys with another --host; it is where event sources listen, too',
      };
    default:
      return {
        message: `Port ${port} of ${host} cannot be listened on: ${error.message}`,
        remedy: 'Set another port in the EventSource, and as targetPort in its spec.service',
      };
  }
}

function taken(host: string, port: number): Found {
  const owner = processAt(port);
  const change = `set another port in the EventSource, and as targetPort in its spec.service`;
  if (owner?.pid === process.pid)
    return {
      message: `Port ${port} of ${host} is taken by Tiphys itself, which serves something else there`,
      remedy: `${change.charAt(0).toUpperCase()}${change.slice(1)}`,
      process: owner.pid,
    };
  const by = owner ? `${owner.name} (process ${owner.pid})` : 'another program';
  return {
    message: `Port ${port} of ${host} is taken by ${by}`,
    remedy: `End ${owner ? `process ${owner.pid}` : 'the program that has it'}, and it is listened on by itself; or ${change}`,
    process: owner?.pid,
  };
}
