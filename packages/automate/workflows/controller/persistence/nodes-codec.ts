import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { NodeStatus, Workflow } from '../../model/types.ts';

/** How nodes are packed, and of which workflows. */
export interface Packing {
  readonly algorithm: 'gzip' | 'zstd' | 'brotli';
  /** gzip: 1 to 9, zstd: 1 to 4 as upstream counts them, brotli: 0 to 11. */
  readonly level?: number;
  /** Workflows of more bytes are packed. */
  readonly largest: number;
}

/** A workflow of this many bytes is near what the API server takes. */
export const usualPacking: Packing = { algorithm: 'gzip', largest: 1024 * 1024 };
/** What a node's status may unpack to, in bytes. */
const unpackedLimit = 256 * 1024 * 1024;

/** A workflow whose nodes do not fit the API server even when they are packed. */
export class WorkflowTooLarge extends Error {
  override name = 'OperationError';
}

/** The nodes as they are, whether they are stored plain or packed. */
export function unpackNodes(workflow: Workflow): Workflow {
  const packed = workflow.status?.compressedNodes;
  if (!packed || !workflow.status) return workflow;
  const { compressedNodes, ...status } = workflow.status;
  return { ...workflow, status: { ...status, nodes: decode(packed) } };
}

function decode(packed: string): Record<string, NodeStatus> {
  const bytes = Buffer.from(packed, 'base64');
  const options = { maxOutputLength: unpackedLimit };
  const unpacked =
    bytes[0] === 0x1f && bytes[1] === 0x8b
      ? gunzipSync(bytes, options)
      : bytes.readUInt32LE(0) === 0xfd2fb528
        ? zstdDecompressSync(bytes, options)
        : brotliDecompressSync(bytes, options);
  return JSON.parse(unpacked.toString('utf8')) as Record<string, NodeStatus>;
}

/** The workflow with its nodes packed if it were too large otherwise. Throws a `WorkflowTooLarge`. */
export function packNodes(workflow: Workflow, packing: Packing = usualPacking): Workflow {
  const { largest } = packing;
  if (!workflow.status?.nodes || sizeOf(workflow) <= largest) return workflow;
  const { nodes, ...status } = workflow.status;
  const compressedNodes = pack(JSON.stringify(nodes), packing).toString('base64');
  const packed = { ...workflow, status: { ...status, compressedNodes } };
  const size = sizeOf(packed);
  if (size <= largest) return packed;
  throw new WorkflowTooLarge(
    `workflow is longer than maximum allowed size for compressed nodes: ${size} bytes, ${largest} are allowed; split it, or pass large values as artifacts`,
  );
}

/** Levels of zstd itself for upstream's: fastest, usual, better, best. */
const zstdLevels = [1, 3, 7, 11];

/** What is usual is that of upstream's libraries. */
function pack(text: string, { algorithm, level }: Packing): Buffer {
  switch (algorithm) {
    case 'zstd':
      return zstdCompressSync(text, {
        params: { [constants.ZSTD_c_compressionLevel]: zstdLevels[(level ?? 2) - 1] ?? 3 },
      });
    case 'brotli':
      return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: level ?? 6 } });
    default:
      return gzipSync(text, level === undefined ? {} : { level });
  }
}

function sizeOf(workflow: Workflow): number {
  return Buffer.byteLength(JSON.stringify(workflow));
}
