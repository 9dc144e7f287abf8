/** A commit that another one says it comes from, by trailers such as `Argocd-reference-commit-sha`. */
export interface ReferencedCommit {
  readonly author?: string;
  readonly date?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly sha?: string;
  readonly repoURL?: string;
}

/** What is written of a dry commit beside the manifests that were made of it; fields and order are upstream's. */
export interface HydrationMetadata {
  readonly repoURL: string;
  readonly drySha: string;
  readonly commands?: readonly string[];
  readonly author?: string;
  readonly date?: string;
  readonly subject?: string;
  readonly body?: string;
  readonly references?: readonly { readonly commit: ReferencedCommit }[];
}

/** A commit as git tells of it. */
export interface DryCommit {
  readonly sha: string;
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly message: string;
}

/** Subject, body without the trailers that refer to other commits, and what those say. */
export function metadataOf(repoURL: string, { sha, author, message }: DryCommit): HydrationMetadata {
  const text = message.trim();
  const end = text.indexOf('\n\n');
  const subject = end < 0 ? text : text.slice(0, end);
  const { rest, reference } = readTrailers(end < 0 ? '' : text.slice(end + 2));
  const person = author.email ? `${author.name} <${author.email}>` : author.name;
  return {
    repoURL,
    drySha: sha,
    ...(person ? { author: person } : {}),
    date: author.date.replace(/\.\d+Z$/, 'Z'),
    ...(subject ? { subject } : {}),
    ...(rest ? { body: rest } : {}),
    ...(reference ? { references: [{ commit: reference }] } : {}),
  };
}

const prefix = 'Argocd-reference-commit-';

/** Upstream rule: a trailer whose value is not valid stays in the body. */
function readTrailers(body: string): { rest: string; reference: ReferencedCommit | undefined } {
  const kept: string[] = [];
  let reference: ReferencedCommit | undefined;
  for (const line of body === '' ? [] : body.replace(/\n$/, '').split('\n')) {
    const read = line.startsWith(prefix) ? readTrailer(line.slice(prefix.length)) : undefined;
    if (read) reference = { ...reference, ...read };
    else kept.push(line);
  }
  return { rest: kept.length > 0 ? `${kept.join('\n')}\n` : '', reference };
}

function readTrailer(text: string): ReferencedCommit | undefined {
  const separator = text.indexOf(': ');
  if (separator < 0) return undefined;
  const value = text.slice(separator + 2);
  switch (text.slice(0, separator)) {
    case 'repourl':
      return { repoURL: value };
    case 'author':
      return /^[^<>]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/.test(value) ? { author: value } : undefined;
    case 'date':
      return dateOf(value);
    case 'subject':
      return { subject: value };
    case 'body':
      return bodyOf(value);
    case 'sha':
      return /^[0-9a-f]{5,40}$/.test(value) ? { sha: value } : undefined;
    default:
      return undefined;
  }
}

function dateOf(value: string): ReferencedCommit | undefined {
  const wellFormed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value);
  return wellFormed && !Number.isNaN(Date.parse(value)) ? { date: value } : undefined;
}

function bodyOf(value: string): ReferencedCommit | undefined {
  try {
    const body: unknown = JSON.parse(value);
    return typeof body === 'string' ? { body } : undefined;
  } catch {
    return undefined;
  }
}
