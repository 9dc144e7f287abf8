/** The query of a request's target; empty if there is none. */
export function parseUrlQuery(target: string | undefined): URLSearchParams {
  const mark = (target ?? '').indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : (target ?? '').slice(mark + 1));
}
