import { useEffect, useRef, useState } from 'react';
import { RequestError } from './client.ts';
import { readJsonLines } from './json-lines.ts';
import { waitsBeforeReconnect } from './use-stream.ts';

interface Handlers<T> {
  readonly take: (items: readonly T[]) => void;
  /** Before the first item of each connection: the stream begins anew. */
  readonly begin: () => void;
  /** What the server refuses is not asked for again. */
  readonly refused: (error: RequestError) => void;
}

/** Follows a stream of thousands of items for as long as the component lives and there is an address. Returns whether it is connected now. */
export function useJsonLines<T>(url: string | undefined, given: Handlers<T>): boolean {
  const [connected, setConnected] = useState(false);
  const handlers = useRef(given);
  handlers.current = given;
  useEffect(() => {
    if (!url) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let attempt = 0;
    const opened = () => {
      attempt = 0;
      setConnected(true);
      handlers.current.begin();
    };
    const open = async () => {
      try {
        await readJsonLines<T>(url, abort.signal, (items) => handlers.current.take(items), opened);
      } catch (error) {
        if (abort.signal.aborted) return;
        if (error instanceof RequestError && error.status < 500) {
          setConnected(false);
          handlers.current.refused(error);
          return;
        }
      }
      if (abort.signal.aborted) return;
      setConnected(false);
      timer = setTimeout(() => void open(), waitsBeforeReconnect[Math.min(attempt, waitsBeforeReconnect.length - 1)]);
      attempt += 1;
    };
    void open();
    return () => {
      abort.abort();
      clearTimeout(timer);
      setConnected(false);
    };
  }, [url]);
  return connected;
}
