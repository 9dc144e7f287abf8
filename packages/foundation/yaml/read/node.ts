import type { ScalarStyle } from './token.ts';

interface NodePlace {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** 1-based line of the last character. */
  endLine: number;
}

export interface ScalarNode extends NodePlace {
  readonly kind: 'scalar';
  readonly value: string;
  /** Long form; empty if none was written. */
  readonly tag: string;
  /** Its type is to be found from its text. */
  readonly implicit: boolean;
  /** Offsets in the text, in UTF-16 units: quotes and block indicators are inside. Equal for an empty value. */
  readonly start: number;
  readonly end: number;
  readonly style: ScalarStyle;
}

export interface SequenceNode extends NodePlace {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
  /** Written with brackets. */
  readonly flow: boolean;
}

export interface MappingNode extends NodePlace {
  readonly kind: 'mapping';
  /** Keys and values in turn. */
  readonly pairs: YamlNode[];
  /** Written with braces. */
  readonly flow: boolean;
}

export interface AliasNode extends NodePlace {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
}

/** A part of a document with its place in the text. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;

export interface DocumentNode {
  readonly root: YamlNode;
  /** 1-based line on which the document begins: of `---` if it has one. */
  readonly line: number;
  /** 1-based line of its last content. */
  readonly endLine: number;
}
