import type { GitTree, PathEntry } from '@tiphys/git';
import type { ReferencedSources } from './referenced-sources.ts';
import type { RenderRequest } from './rendered.ts';
import type { Rendering } from './rendering.ts';

/** Where a source is read; what is read through `observed` is noted. */
export interface SourcePlace {
  readonly tree: GitTree;
  readonly observed: GitTree;
  readonly folder: PathEntry;
  readonly references: ReferencedSources;
}

/**
 * Turns sources of one type into objects (source-tool.test.ts holds each tool to this):
 * - The digest of a rendering is a function of what was read, of the settings and of the facts: while none of these changes, the
 *   digest is the same and nothing is rendered again, unless the request says `noCache`.
 * - What the content itself deserves is the outcome, also a failure, and is kept. What comes from outside (network, cancellation)
 *   is thrown and not kept.
 * - The request is told where the outcome was found, and more objects than the limit are refused with `TooManyObjects`.
 * - Objects are frozen: several applications may hold them.
 */
export interface SourceTool {
  render(request: RenderRequest, place: SourcePlace): Promise<Rendering>;
}
