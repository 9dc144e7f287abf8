import { useEffect, useRef, useState } from 'react';

/** Waits between attempts to reconnect, in milliseconds. */
const backoff = [500, 1000, 2000, 5000];

/**
 * Follows a stream of the API for as long as the component lives. After each reconnect `onConnect` is called, so that
 * what was missed can be read again. Returns whether it is connected now.
 */
export function useStream<T>(url: string | undefined, onMessage: (message: T) => void, onConnect: () => void): boolean {
  const [connected, setConnected] = useState(false);
  const handlers = useRef({ onMessage, onConnect });
  handlers.current = { onMessage, onConnect };
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
        const { result } = JSON.parse(data as string) as { result?: T };
        if (result) handlers.current.onMessage(result);
      };
      source.onerror = () => {
        source?.close();
        setConnected(false);
        timer = setTimeout(open, backoff[Math.min(attempt, backoff.length - 1)]);
        attempt += 1;
      };
    };
    open();
    return () => {
      source?.close();
      clearTimeout(timer);
    };
  }, [url]);
  return connected;
}
