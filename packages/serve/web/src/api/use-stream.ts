import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { RequestError } from './client.ts';

/** Waits between attempts to reconnect, in milliseconds. */
export const waitsBeforeReconnect = [500, 1000, 2000, 5000];

/** What a stream sends: an item, or at its end why it ended. */
interface Sent<T> {
  readonly result?: T;
  readonly error?: { readonly http_code: number; readonly message: string };
}

/**
 * Follows a stream of the API for as long as the component lives. After each reconnect `onConnect` is called, so that
 * what was missed can be read again. With `onRefused` a stream that the server refuses is told to it and not asked for
 * again; other streams are. Returns whether it is connected now.
 */
export function useStream<T>(
  url: string | undefined,
  onMessage: (message: T) => void,
  onConnect: () => void,
  onRefused?: (error: RequestError) => void,
): boolean {
  const [connected, setConnected] = useState(false);
  const queries = useQueryClient();
  const handlers = useRef({ onMessage, onConnect, onRefused });
  handlers.current = { onMessage, onConnect, onRefused };
  useEffect(() => {
    if (!url) return undefined;
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let attempt = 0;
    const open = () => {
      source = new EventSource(url, { withCredentials: true });
      source.onopen = () => {
        attempt = 0;
        setConnected(true);
        handlers.current.onConnect();
      };
      source.onmessage = ({ data }) => {
        const { result, error } = JSON.parse(data as string) as Sent<T>;
        if (result) handlers.current.onMessage(result);
        if (error && error.http_code < 500 && handlers.current.onRefused) {
          source?.close();
          setConnected(false);
          handlers.current.onRefused(new RequestError(error.http_code, error.message));
        }
      };
      source.onerror = () => {
        source?.close();
        setConnected(false);
        // a browser tells nobody why a stream is refused: the session may have ended
        if (attempt > 0) void queries.invalidateQueries({ queryKey: ['user'] });
        timer = setTimeout(open, waitsBeforeReconnect[Math.min(attempt, waitsBeforeReconnect.length - 1)]);
        attempt += 1;
      };
    };
    open();
    return () => {
      source?.close();
      clearTimeout(timer);
    };
  }, [url, queries]);
  return connected;
}
