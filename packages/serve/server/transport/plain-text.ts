import { type HttpResponse, isGone } from './http-message.ts';

/** Answers with a sentence for people; not at all where nobody waits any more. */
export function sendPlain(response: HttpResponse, status: number, sentence: string): void {
  if (isGone(response)) return;
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(`${sentence}\n`);
}
