import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A pattern that Go's regexp refuses, in its words. */
export class RegexError extends Error {
  readonly source: string;
  constructor(message: string, source: string) {
    super(message);
    this.source = source;
  }
}

const cache = new Map<string, RE2JS>();

/** `regexp.Compile`: a pattern that matches in linear time. Throws `RegexError`. */
export function compileRegex(source: string): RE2JS {
  let compiled = cache.get(source);
  if (!compiled) {
    try {
      compiled = RE2JS.compile(source);
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      throw new RegexError(
        `error parsing regexp: ${error.getDescription()}: \`${error.getPattern() ?? source}\``,
        source,
      );
    }
    if (cache.size > 1000) cache.clear();
    cache.set(source, compiled);
  }
  return compiled;
}
