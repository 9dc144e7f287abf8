/** The Service of an EventSource: on the sandbox nothing is behind it, and the event source listens in this process. */
const ofEventSource = /^http:\/\/[a-z0-9.-]+-eventsource-svc\.[a-z0-9-]+(?:\.svc(?:\.cluster\.local)?)?(?=[:/]|$)/;

/** Where a URL leads that was written for a cluster. */
export function onSandbox(url: string): string {
  return url.replace(ofEventSource, 'http://127.0.0.1');
}
