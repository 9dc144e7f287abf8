/** Schemas outside of the chart, by address: their text, or why it could not be had. */
export type RemoteSchemas = ReadonlyMap<string, string | Error>;

/** More documents than this are not fetched for one render. */
const maxDocuments = 50;

/** Thrown where a schema refers to an address of which nothing is known yet. */
export class RemoteSchemaMissing extends Error {
  readonly url: string;
  constructor(url: string) {
    super(`the schema refers to ${url}`);
    this.url = url;
  }
}

/**
 * Renders with the schemas that a chart refers to outside of itself: a render fetches nothing, so it is tried again with
 * each document that it misses. What can not be fetched becomes a finding, as Helm tells it.
 */
export async function withRemoteSchemas<T>(
  render: (schemas: RemoteSchemas) => T,
  fetchText: (url: string) => Promise<string>,
): Promise<T> {
  const schemas = new Map<string, string | Error>();
  for (;;) {
    try {
      return render(schemas);
    } catch (error) {
      if (!(error instanceof RemoteSchemaMissing)) throw error;
      const { url } = error;
      schemas.set(url, schemas.size < maxDocuments ? await fetched(url, fetchText) : tooMany(url));
    }
  }
}

function tooMany(url: string): Error {
  return new Error(`${url} would be document ${maxDocuments + 1} of this chart's schemas`);
}

async function fetched(url: string, fetchText: (url: string) => Promise<string>): Promise<string | Error> {
  try {
    return await fetchText(url);
  } catch (error) {
    return new Error(`HTTP request failed for ${url}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
